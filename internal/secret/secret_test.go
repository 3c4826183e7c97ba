package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const word = "s3cr3t-word"

type holder struct {
	URL  Secret
	List []Secret
}

// TestNothingPrintsASecret tries every way in which a value gets into a text.
func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	s := Secret(word)
	h := holder{s, []Secret{s}}
	var texts []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %v", "%10.3s"} {
		texts = append(texts, fmt.Sprintf(verb, s, s), fmt.Sprintf(verb, h, h), fmt.Sprintf(verb, &h, &h))
	}
	texts = append(texts, fmt.Sprint(s, h), errors.New("open "+s.String()).Error())
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		text, err := marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).InfoContext(t.Context(), "open", "url", s, "all", h)
	}
	texts = append(texts, log.String())
	for _, text := range texts {
		if strings.Contains(text, word) || strings.Contains(text, fmt.Sprintf("%x", word)) {
			t.Errorf("a secret was printed: %s", text)
		}
	}
}

func TestRevealGivesTheText(t *testing.T) {
	t.Parallel()
	if got := Secret(word).Reveal(); got != word {
		t.Errorf("got %q", got)
	}
	if text := fmt.Sprint(Secret("")); text != "" {
		t.Errorf("no secret prints as %q", text)
	}
}
