//go:build unix

package cmd

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"desfecho/providers/providertest"
)

// pulse is whoever knows it can speak for the job.
const pulse = "canary-heartbeat-6b1f"

// monitor hears heartbeats.
type monitor struct {
	*httptest.Server
	mu     sync.Mutex
	heard  []string
	answer http.HandlerFunc // nil: OK
}

func listening(t *testing.T) *monitor {
	t.Helper()
	m := &monitor{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, r.Method+" "+strings.Replace(r.URL.String(), pulse, "ID", 1))
	if m.answer != nil {
		m.answer(w, r)
		return
	}
	_, _ = w.Write([]byte("OK"))
}

// told is what was heard since the last call.
func (m *monitor) told(answer http.HandlerFunc) (heard []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard, m.heard, m.answer = m.heard, nil, answer
	return heard
}

// configures gives what writes the configuration with a part of its own.
func (st *stand) configures() func(run string) {
	st.t.Helper()
	text, err := os.ReadFile(filepath.Join(st.folder, "desfecho.yaml"))
	if err != nil {
		st.t.Fatal(err)
	}
	return func(run string) { st.file("desfecho.yaml", string(text)+"run: "+run+"\n") }
}

// TestAMonitorHearsThatARunBeganAndHowItEnded, and what it does not hear is no
// failed run: it is a warning that does not hold the address.
func TestAMonitorHearsThatARunBeganAndHowItEnded(t *testing.T) {
	t.Parallel()
	m, st := listening(t), openStand(t, sqliteShop(t), false, "zoop")
	with, path := st.configures(), st.file("pulse", m.URL+"/"+pulse+"\n")
	for _, c := range []struct {
		run    string
		wrong  bool
		answer http.HandlerFunc
		code   exitCode
		want   []string
		warns  bool
	}{
		{run: "{heartbeat_url_file: " + path + "}", code: exitDivergences, want: []string{"GET /ID/start", "GET /ID"}},
		{run: "{heartbeat_url: " + m.URL + "/" + pulse + ", heartbeat_ok: [0]}", code: exitDivergences, want: []string{"GET /ID/start", "GET /ID/3"}},
		{run: "{heartbeat_url_file: " + path + "}", wrong: true, code: exitIncomplete, want: []string{"GET /ID/start", "GET /ID/4"}},
		{run: "{heartbeat_url_file: " + path + "}", code: exitDivergences, want: []string{"GET /ID/start", "GET /ID"}, warns: true, answer: http.NotFound},
		{run: "{heartbeat_url_file: " + path + "}", code: exitDivergences, want: []string{"GET /ID/start", "GET /ID"}, warns: true, answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere/"+pulse, http.StatusFound)
		}},
		{run: `{heartbeat_url: "https://10.0.0.1/` + pulse + `"}`, code: exitDivergences, warns: true},
		{run: "{}", code: exitDivergences},
	} {
		with(c.run)
		m.told(c.answer)
		st.plays["zoop"].goesWrong(func(int, *http.Request, providertest.Exchange) http.HandlerFunc {
			if !c.wrong {
				return nil
			}
			return http.NotFound
		})
		out, told := st.wants(c.code, "run", "-v")
		if diff := cmp.Diff(c.want, m.told(nil)); diff != "" {
			t.Errorf("%s (-want +heard)\n%s", c.run, diff)
		}
		if strings.Contains(told, "the heartbeat was not delivered") != c.warns || strings.Contains(out+told, pulse) {
			t.Errorf("%s: told\n%s", c.run, told)
		}
	}
}

// TestAHeartbeatsAddressIsKeptLikeAPassword: what is wrong with it is told
// before anything is done, and without it.
func TestAHeartbeatsAddressIsKeptLikeAPassword(t *testing.T) {
	t.Parallel()
	m, st := listening(t), openStand(t, sqliteShop(t), false, "zoop")
	with, path := st.configures(), st.file("pulse", m.URL+"/"+pulse+"\n")
	for _, bad := range []string{
		"{heartbeat_url: http://monitor.example/" + pulse + "}", `{heartbeat_url: "https://u:` + pulse + `@monitor.example"}`,
		"{heartbeat_url: https://m.example/" + pulse + ", heartbeat_url_file: " + path + "}", "{heartbeat_url_file: /nowhere}", "{heartbeat_ok: [yes]}",
	} {
		with(bad)
		if _, told := st.wants(exitNotUsable, "run"); strings.Contains(told, pulse) {
			t.Errorf("%s: told\n%s", bad, told)
		}
	}
	with("{heartbeat_url: " + m.URL + "/" + pulse + "}")
	if err := os.Chmod(filepath.Join(st.folder, "desfecho.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, told := st.wants(exitNotUsable, "run"); !strings.Contains(told, "chmod 600") {
		t.Errorf("an address that others may read: %s", told)
	}
	if heard := m.told(nil); heard != nil {
		t.Errorf("heard %q", heard)
	}
}
