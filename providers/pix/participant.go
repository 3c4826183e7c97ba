package pix

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/secret"
)

// Address is where a participant's API and its tokens are.
type Address struct {
	BaseURL  string
	TokenURL string
}

// participants are those whose addresses are known for sure, by mode.
var participants = map[string]map[payment.Mode]Address{
	"efi": {
		payment.Live: {"https://pix.api.efipay.com.br/v2", "https://pix.api.efipay.com.br/oauth/token"},
		payment.Test: {"https://pix-h.api.efipay.com.br/v2", "https://pix-h.api.efipay.com.br/oauth/token"},
	},
}

// At is where a participant is that is known by name, or else what was given.
func At(name string, given Address, mode payment.Mode) (Address, error) {
	switch known, ready := participants[name][mode]; {
	case name == "" && given.BaseURL != "" && given.TokenURL != "":
		return given, nil
	case name == "":
		return Address{}, errors.New("pix: base_url and token_url say where the participant is; both are wanted, or the name of a ready-made one")
	case !ready:
		return Address{}, fmt.Errorf("pix: no ready-made participant %q: want one of %s, or base_url and token_url",
			name, strings.Join(slices.Sorted(maps.Keys(participants)), ", "))
	case given != Address{}:
		return Address{}, fmt.Errorf("pix: participant %s has addresses of its own: leave base_url and token_url out", name)
	default:
		return known, nil
	}
}

// CheckCredential says whether a key is ID:SECRET. Its error does not hold it.
func CheckCredential(key secret.Secret) error {
	if id, word, ok := strings.Cut(key.Reveal(), ":"); !ok || id == "" || word == "" {
		return errors.New("pix: the key is no CLIENT_ID:CLIENT_SECRET")
	}
	return nil
}

// ours are the headers that no configuration sets.
var ours = []string{"authorization", "host", "accept", "accept-encoding", "user-agent", "connection", "cookie", "content-length", "content-type"}

// CheckHeaders says whether configured headers can be sent.
func CheckHeaders(headers map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if slices.Contains(ours, strings.ToLower(name)) {
			return fmt.Errorf("pix: header %s: it is not for the configuration to set", name)
		}
	}
	return nil
}
