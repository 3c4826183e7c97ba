package fakepsp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// order is one request that would change something.
type order struct {
	Path []string `json:"path"`
	Body []byte   `json:"body"`
	Key  string   `json:"key,omitempty"`
}

func (o order) hash() string {
	sum := sha256.Sum256([]byte(strings.Join(o.Path, "/") + "\n" + string(o.Body)))
	return hex.EncodeToString(sum[:])
}

// keyed is what is remembered under an idempotency key.
type keyed struct {
	Hash    string    `json:"hash"`
	First   time.Time `json:"first"`
	Running time.Time `json:"running,omitzero"` // until then the first request is at work
	Status  int       `json:"status,omitempty"` // 0: nothing to replay
	Body    []byte    `json:"body,omitempty"`
}

// change carries out an order at most once per key.
func (p *Provider) change(o order, fault Fault) reply {
	if k := p.remembered(o.Key); k != nil {
		switch {
		case k.Hash != o.hash():
			return failure(http.StatusUnprocessableEntity, "idempotency_mismatch", "this key was used with another request", nil)
		case p.at.Before(k.Running):
			return failure(http.StatusConflict, "idempotency_in_use", "the first request with this key is still running", nil)
		case k.Status != 0:
			return reply{status: k.Status, body: k.Body, replayed: true}
		}
	}
	k := &keyed{Hash: o.hash(), First: p.at}
	var out reply
	switch fault.Effect {
	case Commits:
		out = p.do(o)
		k.Status, k.Body = out.status, out.body
	case Later:
		due := p.at.Add(cmp.Or(fault.Late, defaultLate))
		p.schedule(job{At: due, Order: &o})
		k.Running = due
	case Never:
	}
	switch fault.Answer {
	case Slow:
		k.Running = later(k.Running, p.at.Add(cmp.Or(fault.Wait, defaultWait)))
	case Error500:
		k.Running = time.Time{}
		stored := failure(http.StatusInternalServerError, "internal", "something went wrong on our end", nil)
		k.Status, k.Body = stored.status, stored.body
	case Normally, Closed, BadGateway, CutBody, Limited:
	}
	p.remember(o.Key, k)
	return out
}

// remembered is what the key stands for, nil where it is new, forgotten or
// none.
func (p *Provider) remembered(key string) *keyed {
	k := p.s.Keys[key]
	if k == nil || !p.at.Before(k.First.Add(p.settings.KeyRetention)) {
		return nil
	}
	return k
}

// remember keeps what there is to keep: a refused parameter leaves its key
// free, and so does a request that never began.
func (p *Provider) remember(key string, k *keyed) {
	refused := k.Status == http.StatusBadRequest || k.Status == http.StatusNotFound
	if key == "" || refused || k.Status == 0 && k.Running.IsZero() {
		return
	}
	p.s.Keys[key] = k
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
