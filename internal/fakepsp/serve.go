package fakepsp

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const maxBody = 1 << 20

// reply is what a request is answered, where nothing goes wrong.
type reply struct {
	status   int
	body     []byte
	replayed bool
}

func answer(status int, body any) reply {
	text, err := json.Marshal(body)
	if err != nil { // cannot be: the answers are plain structs
		return reply{status: http.StatusInternalServerError}
	}
	return reply{status: status, body: text}
}

// failure is the provider's form of an error; object is the object that tells
// more, if there is one.
func failure(status int, code, message string, object *Object) reply {
	type detail struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	return answer(status, struct {
		Error  detail  `json:"error"`
		Object *Object `json:"object,omitempty"`
	}{detail{code, message}, object})
}

// ServeHTTP answers the payments API.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client went away in the middle of its request
	}
	fault, out := p.arrive(r, body)
	p.send(w, r, fault, out)
}

// arrive records the request, carries it out as far as its fault lets it, and
// says what there is to answer.
func (p *Provider) arrive(r *http.Request, body []byte) (Fault, reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	seen := Request{
		N: len(p.requests) + 1, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Key: r.Header.Get("Idempotency-Key"),
	}
	fault := Fault{}
	if p.settings.Faults != nil {
		fault = p.settings.Faults(seen)
	}
	out := p.carryOut(r, body, fault)
	switch fault.Answer {
	case Normally, CutBody:
		seen.Status = out.status
	case Error500:
		seen.Status = http.StatusInternalServerError
	case BadGateway:
		seen.Status = http.StatusBadGateway
	case Limited:
		seen.Status = http.StatusTooManyRequests
	case Closed, Slow:
	}
	p.requests = append(p.requests, seen)
	return fault, out
}

func (p *Provider) carryOut(r *http.Request, body []byte, fault Fault) reply {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case p.settings.Token != "" && r.Header.Get("Authorization") != "Bearer "+p.settings.Token:
		return failure(http.StatusUnauthorized, "unauthorized", "no such credential", nil)
	case fault.Answer == Limited:
		return reply{}
	case r.Method == http.MethodGet:
		return p.read(path, r.URL.Query())
	case r.Method == http.MethodPost:
		return p.change(order{Path: path, Body: body, Key: r.Header.Get("Idempotency-Key")}, fault)
	default:
		return failure(http.StatusMethodNotAllowed, "method", "GET or POST", nil)
	}
}

// send answers, or fails to, as the fault says. Nothing of the provider
// changes any more.
func (p *Provider) send(w http.ResponseWriter, r *http.Request, fault Fault, out reply) {
	switch fault.Answer {
	case Closed:
		panic(http.ErrAbortHandler)
	case Slow:
		p.settings.Clock.Stall(cmp.Or(fault.Wait, defaultWait))
		<-r.Context().Done() // the client gave up, or the listener closed
	case Error500:
		write(w, failure(http.StatusInternalServerError, "internal", "something went wrong on our end", nil))
	case BadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><body><h1>502 Bad Gateway</h1></body></html>")
	case Limited:
		w.Header().Set("Retry-After", "1")
		write(w, failure(http.StatusTooManyRequests, "rate_limited", "too many requests", nil))
	case CutBody:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(out.body)))
		w.WriteHeader(out.status)
		_, _ = w.Write(out.body[:len(out.body)/2])
		_ = http.NewResponseController(w).Flush() // the half must leave, or the whole would be lost
		panic(http.ErrAbortHandler)
	case Normally:
		write(w, out)
	}
}

func write(w http.ResponseWriter, out reply) {
	w.Header().Set("Content-Type", "application/json")
	if out.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body)
}
