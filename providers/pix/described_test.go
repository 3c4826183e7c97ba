package pix

import (
	"encoding/json"
	"flag"
	"net/http"
	"slices"
	"strings"
	"sync"

	"desfecho/providers/providertest"
)

var openapi = flag.String("openapi", "", "hold all requests and fixtures against Banco Central's OpenAPI description in this `file`")

var description struct {
	once sync.Once
	is   *providertest.Described
}

// asPublished holds an exchange against what Banco Central publishes (make
// published); no test needs it.
func (s *script) asPublished(r *http.Request, status int, body any) {
	if *openapi == "" || s.strange {
		return
	}
	description.once.Do(func() { description.is = providertest.Describe(s.t, *openapi) })
	text, ok := body.(string)
	if !ok {
		told, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		text = string(told)
	}
	e := providertest.Exchange{Path: r.URL.EscapedPath(), Query: r.URL.Query(), Status: status, Body: text}
	for _, wrong := range slices.Compact(slices.Sorted(slices.Values(description.is.Check(e)))) {
		if !slices.ContainsFunc(meant, func(part string) bool { return strings.Contains(wrong, part) }) {
			s.t.Error(wrong)
		}
	}
}

// meant are differences between 2.9.0 and our fixtures that stay.
var meant = []string{
	// Its lists require fields that it defines nowhere, or one level too high.
	"/pix.cobs is missing", "].idCob is missing", "].logradouro is missing", "].cidade is missing", "].uf is missing", "].cep is missing",
	"/cobv.cobs[].location is missing",
	// Participants leave an empty list out, tell who paid, and will have words
	// that are new.
	".cobs is missing", "].pagador is not published", "MED_NOVO",
}
