package file

import (
	"regexp"
	"strings"

	"desfecho/internal/payment"
)

// callErrors classifies what last_error says and remembers it: the texts of
// one table repeat.
type callErrors struct{ seen map[string]payment.CallError }

// maxSeen bounds what is remembered; longer texts are classified each time.
const maxSeen = 4096

func (c *callErrors) classify(text string) payment.CallError {
	if text == "" {
		return payment.ErrorNone
	}
	if class, ok := c.seen[text]; ok {
		return class
	}
	class := Classify(text)
	if c.seen == nil {
		c.seen = map[string]payment.CallError{}
	}
	if len(c.seen) < maxSeen && len(text) < 512 {
		c.seen[strings.Clone(text)] = class
	}
	return class
}

// statusCode finds an HTTP status where the text says that it is one: at its
// beginning, or behind http, status, code or error. Ports, amounts and order
// numbers have three digits too.
var statusCode = regexp.MustCompile(`(?:^|http[ /]?[0-9.]* *|status(?:[ _]?code)?[ =:]*|code[ =:]*|error[ =:]*|\()([1-5][0-9]{2})(?:$|[^0-9.,])`)

// phrases are looked for in this order: the first that stands in the text
// names the class. A refused card is said in many ways and is no refused
// connection; a gateway's time-out is the provider's 5xx, not our own.
var phrases = []struct {
	class payment.CallError
	texts []string
}{
	{payment.ErrorCardRefused, []string{"card_refused", "card refused", "card declined", "card_declined", "card_error", "insufficient_funds", "insufficient funds", "do_not_honor", "do not honor", "cartao recusado", "cartão recusado", "saldo insuficiente"}},
	{payment.ErrorDNS, []string{"no such host", "dns", "name resolution", "enotfound", "eai_again", "getaddrinfo", "name or service not known"}},
	{payment.ErrorRefused, []string{"connection refused", "econnrefused", "conexao recusada", "conexão recusada"}},
	{payment.Error5xx, []string{"gateway timeout", "gateway time-out", "bad gateway", "service unavailable", "internal server error", "http_5xx", "5xx"}},
	{payment.Error429, []string{"too many requests", "rate limit", "rate_limit"}},
	{payment.ErrorTimeout, []string{"timeout", "time-out", "timed out", "deadline exceeded", "etimedout", "tempo esgotado", "tempo limite"}},
	{payment.ErrorReset, []string{"reset", "broken pipe", "unexpected eof", "econnreset", "epipe", "connection closed", "socket hang up"}},
	{payment.Error409, []string{"conflict", "idempotency_key_in_use"}},
	{payment.Error4xx, []string{"bad request", "unauthorized", "forbidden", "unprocessable", "http_4xx", "4xx", "invalid_request"}},
}

// Classify reads a free text of last_error, or an HTTP status, as one of the
// classes of RULES §6. What it does not know is ErrorOther.
func Classify(text string) payment.CallError {
	text = strings.ToLower(strings.TrimSpace(text))
	if class, err := payment.ParseCallError(text); err == nil {
		return class
	}
	if text == "eof" {
		return payment.ErrorReset
	}
	if m := statusCode.FindStringSubmatch(text); m != nil {
		if class := ofStatus(m[1]); class != payment.Error4xx {
			return class
		}
	}
	for _, p := range phrases {
		for _, phrase := range p.texts {
			if strings.Contains(text, phrase) {
				return p.class
			}
		}
	}
	if m := statusCode.FindStringSubmatch(text); m != nil {
		return ofStatus(m[1])
	}
	return payment.ErrorOther
}

func ofStatus(code string) payment.CallError {
	switch code {
	case "402":
		return payment.ErrorCardRefused
	case "408":
		return payment.ErrorTimeout
	case "409":
		return payment.Error409
	case "429":
		return payment.Error429
	}
	switch code[0] {
	case '2':
		return payment.ErrorOK
	case '4':
		return payment.Error4xx
	case '5':
		return payment.Error5xx
	}
	return payment.ErrorOther
}
