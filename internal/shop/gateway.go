package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"desfecho/internal/payment"
)

const maxAnswer = 1 << 20

// object is what the shop understands of a provider's object.
type object struct {
	ID       string            `json:"id"`
	State    string            `json:"state"`
	Metadata map[string]string `json:"metadata"`
}

// paid tells whether money moved, whatever came back later.
func (o *object) paid() bool {
	return o.State == "paid" || o.State == "refunded" || o.State == "charged_back" || o.State == "returned"
}

func (o *object) dead() bool {
	return o.State == "declined" || o.State == "canceled" || o.State == "expired"
}

// outcome is what one try is known to have come to.
type outcome struct {
	status payment.Status
	class  payment.CallError
	http   int
	object object
	calls  int // HTTP tries made
}

// lastError is the outcome as it stands in last_error: the class and the
// status, no text from outside.
func (o *outcome) lastError() any {
	if o.class == payment.ErrorNone {
		return nil
	}
	text, err := json.Marshal(struct {
		Class  string `json:"class"`
		Status int    `json:"status,omitempty"`
	}{o.class.String(), o.http})
	if err != nil { // cannot be
		return nil
	}
	return string(text)
}

// send makes exactly one HTTP try and says what is known after it (the outcome
// table). It never returns an error: not to know is an outcome.
func (s *Shop) send(ctx context.Context, e Endpoint, path, key string, body []byte) outcome {
	ctx, cancel := s.Clock.WithTimeout(ctx, s.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+"/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return outcome{status: payment.Failed, class: payment.ErrorOther} // it never left
	}
	// Without GetBody the transport cannot send again by itself, which it does
	// for requests with an Idempotency-Key when a kept connection breaks.
	r.GetBody = nil
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	if e.Token != "" {
		r.Header.Set("Authorization", "Bearer "+e.Token)
	}
	answered, err := s.Client.Do(r)
	if err != nil {
		return lost(ctx, err)
	}
	defer answered.Body.Close() //nolint:errcheck // it was read as far as it is needed
	text, err := io.ReadAll(io.LimitReader(answered.Body, maxAnswer))
	if err != nil {
		return lost(ctx, err)
	}
	return judge(answered.StatusCode, text)
}

// lost is the outcome where no whole answer came.
func lost(ctx context.Context, err error) outcome {
	var timeout interface{ Timeout() bool }
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return outcome{status: payment.Unknown, class: payment.ErrorTimeout}
	}
	return outcome{status: payment.Unknown, class: payment.ErrorReset}
}

// judge is the outcome table. Only a 2xx that names its object is a yes, only
// a refusal of the request itself is a no; all the rest is unknown.
func judge(status int, text []byte) outcome {
	out := outcome{status: payment.Unknown, http: status}
	switch {
	case status >= 200 && status <= 299:
		if json.Unmarshal(text, &out.object) != nil || out.object.ID == "" {
			out.object, out.class = object{}, payment.ErrorOther
			return out
		}
		out.status, out.class = payment.Succeeded, payment.ErrorNone
	case status == http.StatusConflict:
		out.class = payment.Error409
	case status == http.StatusTooManyRequests:
		out.class = payment.Error429
	case status >= 500:
		out.class = payment.Error5xx
	case status == http.StatusPaymentRequired:
		out.status, out.class = payment.Failed, payment.ErrorCardRefused
	case status >= 400:
		out.status, out.class = payment.Failed, payment.Error4xx
	default: // a redirect, or what nobody expects
		out.class = payment.ErrorOther
	}
	return out
}

var errNoAnswer = errors.New("no whole answer")

// lookUp asks the provider which objects carry the key. An error says that the
// answer proves nothing.
func (s *Shop) lookUp(ctx context.Context, e Endpoint, key string) ([]object, error) {
	ctx, cancel := s.Clock.WithTimeout(ctx, s.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL+"/v1/objects?key="+url.QueryEscape(key), http.NoBody)
	if err != nil {
		return nil, err
	}
	if e.Token != "" {
		r.Header.Set("Authorization", "Bearer "+e.Token)
	}
	answered, err := s.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answered.Body.Close() //nolint:errcheck // it was read as far as it is needed
	text, err := io.ReadAll(io.LimitReader(answered.Body, maxAnswer))
	var list struct {
		Data []object `json:"data"`
	}
	if err != nil || answered.StatusCode != http.StatusOK || json.Unmarshal(text, &list) != nil {
		return nil, errNoAnswer
	}
	return list.Data, nil
}
