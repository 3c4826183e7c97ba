//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/internal/notify"
	"desfecho/internal/payment"
	"desfecho/providers/httpx"
)

// inbox takes what it is told.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	signed []string
	bodies []string
}

func openInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{status: http.StatusOK}
	in.Server = httptest.NewServer(in)
	t.Cleanup(in.Close)
	return in
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in.mu.Lock()
	defer in.mu.Unlock()
	if r.Method == http.MethodPost && r.URL.Path == "/"+pulse {
		in.signed, in.bodies = append(in.signed, r.Header.Get("Desfecho-Signature")), append(in.bodies, string(body))
	}
	w.WriteHeader(in.status)
}

// take gives what came since the last call, and sets the answer to come.
func (in *inbox) take(status int) (signed, bodies []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	signed, bodies = in.signed, in.bodies
	in.signed, in.bodies, in.status = nil, nil, status
	return signed, bodies
}

// TestPeopleAreToldWhatIsNewOnce: a webhook by signed JSON, a chat in words;
// what could not be delivered is a warning, fails no run, and is told after the
// next one.
func TestPeopleAreToldWhatIsNewOnce(t *testing.T) {
	t.Parallel()
	hook, chat, st := openInbox(t), openInbox(t), openStand(t, sqliteShop(t), false, "zoop")
	with := st.configures()
	with(fmt.Sprintf(`{notify: [{name: hook, url_file: %s, secret_file: %s, from: P4}, {name: chat, url_file: %s, format: slack, from: P4}], owners: [{class: unknown_charged, owner: finance}]}`,
		st.file("hook", hook.URL+"/"+pulse), st.file("secret", "s3cret\n"), st.file("chat", chat.URL+"/"+pulse)))
	chat.take(http.StatusInternalServerError)
	out, told := st.wants(exitDivergences, "run", "-v")
	if strings.Contains(out+told, pulse) || strings.Contains(out+told, "s3cret") || !strings.Contains(told, "what is new was not delivered") {
		t.Errorf("told\n%s", told)
	}
	signed, bodies := hook.take(http.StatusOK)
	if len(bodies) != 1 {
		t.Fatalf("the hook was told %d times", len(bodies))
	}
	var news struct {
		Kind   string
		Count  int
		Groups []notify.Group
	}
	if err := json.Unmarshal([]byte(bodies[0]), &news); err != nil || news.Kind != "news" || news.Count == 0 {
		t.Fatalf("%v: %s", err, bodies[0])
	}
	for _, g := range news.Groups {
		if g.Class == "unknown_charged" && g.Owner != notify.Finance {
			t.Errorf("%s is %s's", g.Class, g.Owner)
		}
	}
	moment, err := strconv.ParseInt(strings.TrimPrefix(strings.Split(signed[0], ",")[0], "t="), 10, 64)
	if err != nil || signed[0] != notify.Sign("s3cret", payment.InstantOf(time.Unix(moment, 0)), []byte(bodies[0])) {
		t.Errorf("signed %s", signed[0])
	}
	chat.take(http.StatusOK)
	st.wants(exitDivergences, "run")
	if _, bodies := hook.take(http.StatusOK); bodies != nil {
		t.Errorf("the hook was told twice: %s", bodies)
	}
	if _, bodies := chat.take(http.StatusOK); len(bodies) != 1 || !strings.Contains(bodies[0], fmt.Sprintf("desfecho: %d divergence", news.Count)) {
		t.Errorf("the chat was told %q", bodies)
	}
	st.wants(exitDivergences, "run")
	if _, bodies := chat.take(http.StatusOK); bodies != nil {
		t.Errorf("the chat was told twice: %s", bodies)
	}
}

// TestWhoIsToldIsConfiguredWhole: a mistake is told before anything is done.
func TestWhoIsToldIsConfiguredWhole(t *testing.T) {
	t.Parallel()
	st := openStand(t, sqliteShop(t), false, "zoop")
	with, url, secret := st.configures(), st.file("hook", "https://hooks.example/"+pulse), st.file("secret", "s3cret\n")
	open := st.file("open", "https://hooks.example/"+pulse)
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"{url_file: " + url + ", format: slack}", "{name: a b, url_file: " + url + ", format: slack}", "{name: a, url_file: " + url + "}",
		"{name: a, url_file: " + url + ", format: fax}", "{name: a, url_file: " + url + ", secret_file: " + secret + ", from: P9}",
		"{name: a, url_file: " + open + ", format: slack}", "{name: a, url_file: " + filepath.Join(st.folder, "nowhere") + ", format: slack}",
		"{name: a, url_file: " + url + ", format: slack, owners: [boss]}",
		"{name: a, url_file: " + url + ", format: slack}, {name: a, url_file: " + url + ", format: slack}",
	} {
		with("{notify: [" + bad + "]}")
		if _, told := st.wants(exitNotUsable, "run"); strings.Contains(told, pulse) || strings.Contains(told, "s3cret") {
			t.Errorf("%s: told\n%s", bad, told)
		}
	}
	with("{owners: [{class: no_such_class, owner: finance}]}")
	st.wants(exitNotUsable, "run")
}

// TestAProvidersClientTellsNothing: what asks providers cannot post.
func TestAProvidersClientTellsNothing(t *testing.T) {
	t.Parallel()
	in := openInbox(t)
	c, err := httpx.New(httpx.Options{BaseURL: in.URL + "/" + pulse, Loopback: true, UserAgent: "x", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Tell(t.Context(), "payments", nil, []byte("{}")); err == nil {
		t.Error("a client that was not made to tell told something")
	}
	if _, bodies := in.take(http.StatusOK); bodies != nil {
		t.Errorf("posted %s", bodies)
	}
}
