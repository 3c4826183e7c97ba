package pix

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"desfecho/internal/provider"
	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

const endpointToken = "token"

const (
	// settled is how old a token is before its refusal can mean that it ended
	// early: one that was just made and is refused opens nothing.
	settled = time.Minute
	// early is how long before its end a token is replaced.
	early = time.Minute
	// unsaid is how long a token is kept whose end is not told.
	unsaid = 5 * time.Minute
)

// tokens keeps the access token that all questions share.
type tokens struct {
	mu     sync.Mutex
	now    access
	failed error // the credential was refused: nobody asks again
}

type access struct {
	token     secret.Secret
	from, end time.Time
}

// get asks with the access token. One that is refused after it had been taken
// is replaced once.
func (p *Provider) get(ctx context.Context, ask httpx.Ask) (*httpx.Response, error) {
	used, err := p.access(ctx, "")
	if err != nil {
		return nil, err
	}
	got, err := p.with(ctx, ask, used)
	var refused *provider.Error
	if !errors.As(err, &refused) || refused.Status != 401 || p.o.Now().Sub(used.from) < settled {
		return got, err
	}
	if used, err = p.access(ctx, used.token); err != nil {
		return nil, err
	}
	return p.with(ctx, ask, used)
}

func (p *Provider) with(ctx context.Context, ask httpx.Ask, used access) (*httpx.Response, error) {
	ask.Header = p.o.Headers
	ask.Secrets = map[string]secret.Secret{"Authorization": "Bearer " + used.token}
	return p.client.Get(ctx, ask)
}

// access gives the token that is kept, or asks for a new one where there is
// none, it is about to end, or it is the one that was refused.
func (p *Provider) access(ctx context.Context, refused secret.Secret) (access, error) {
	t := &p.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	now := p.o.Now()
	switch {
	case t.failed != nil:
		return access{}, t.failed
	case t.now.token != "" && t.now.token != refused && now.Before(t.now.end):
		return t.now, nil
	}
	made, err := p.newAccess(ctx, now)
	var asked *provider.Error
	if errors.As(err, &asked) && (asked.Reason == provider.Credentials || asked.Reason == provider.HTTP4xx) { // 400 is invalid_client, too
		t.failed = err
	}
	if err != nil {
		return access{}, err
	}
	t.now = made
	return made, nil
}

func (p *Provider) newAccess(ctx context.Context, now time.Time) (access, error) {
	ask := httpx.TokenAsk{
		Endpoint: endpointToken, URL: p.o.Token.URL,
		Form: url.Values{"grant_type": {"client_credentials"}, "scope": {strings.Join(p.o.Scopes, " ")}},
	}
	id, word, _ := strings.Cut(p.o.Token.Credential.Reveal(), ":")
	if p.o.Token.InBody {
		ask.Form.Set("client_id", id)
		ask.Form.Set("client_secret", word)
	} else {
		basic := base64.StdEncoding.EncodeToString([]byte(p.o.Token.Credential.Reveal()))
		ask.Secrets = map[string]secret.Secret{"Authorization": secret.Secret("Basic " + basic)}
	}
	got, err := p.client.Token(ctx, ask)
	if err != nil {
		return access{}, plain(err)
	}
	var told struct {
		Token   string      `json:"access_token"`
		Type    string      `json:"token_type"`
		Seconds json.Number `json:"expires_in"`
	}
	if err := got.Decode(&told); err != nil {
		return access{}, err
	}
	if told.Token == "" || !strings.EqualFold(cmp.Or(told.Type, "Bearer"), "Bearer") {
		return access{}, refuse(endpointToken, provider.Unparsable, "no bearer token in the answer")
	}
	made := access{token: secret.Secret(told.Token), from: now, end: now.Add(unsaid)}
	if seconds, err := told.Seconds.Int64(); err == nil && seconds > 0 && seconds < int64(365*day/time.Second) {
		made.end = now.Add(time.Duration(seconds)*time.Second - early)
	}
	return made, nil
}

// plain takes off what httpx keeps for its own retries.
func plain(err error) error {
	var asked *provider.Error
	if errors.As(err, &asked) {
		return asked
	}
	return err
}

func refuse(endpoint string, reason provider.Reason, format string, arguments ...any) error {
	return &provider.Error{Reason: reason, Stage: provider.StageBody, Endpoint: endpoint, Err: fmt.Errorf(format, arguments...)}
}
