//go:build unix

package cmd

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"desfecho/internal/pgtest"
	"desfecho/providers/providertest"
)

// commandLines are those that ask providers, and those that tell what they
// answered, in every form. Attempt id is shown.
func commandLines(id string) (asking, telling [][]string) {
	for _, form := range []string{"table", "csv", "csv-br", "json", "ndjson", "md", "html"} {
		telling = append(telling, []string{"report", "--format", form}, []string{"reconcile", "--format", form})
	}
	for _, form := range [][]string{{"-v"}, {"--json", "-v", "--log-format", "json"}} {
		for _, args := range [][]string{{"pull"}, {"probe"}, {"run"}, {"show", id}, {"check", "--provider"}} {
			asking = append(asking, append(args, form...))
		}
		for _, args := range [][]string{{"stuck"}, {"show", id, "--offline"}, {"resolve", id}, {"check"}} {
			telling = append(telling, append(args, form...))
		}
	}
	return asking, telling
}

// TestNoSecretIsEverTold: a secret in every slot, and none of them in what is
// printed, logged, stored, asked of the database, or seen of the process;
// neither when all is well nor when providers send back what they were sent.
func TestNoSecretIsEverTold(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(psps()))
	st := openStand(t, postgresShop(t), false, names...)
	secrets := append(st.certified(), pulse, databasePassword, bearerCanary, proxyPassword)
	for _, p := range st.plays {
		secrets = append(secrets, p.secret, base64.StdEncoding.EncodeToString([]byte(p.key)), base64.StdEncoding.EncodeToString([]byte(p.key+":")))
	}
	leaks := func(where, text string) {
		for _, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s holds %s: …%s", where, secret, text[max(0, at-200):at+len(secret)])
			}
		}
	}
	st.url = strings.Replace(st.url, "@", ":"+databasePassword+"@", 1)
	if !strings.Contains(st.url, databasePassword) {
		t.Fatalf("no place for a password in %s", st.url)
	}
	st.file("pulse", "http://127.0.0.1:1/"+pulse)
	config, err := os.ReadFile(filepath.Join(st.folder, "desfecho.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	st.file("desfecho.yaml", string(config)+fmt.Sprintf("run: {heartbeat_url_file: %q}\n", filepath.Join(st.folder, "pulse")))
	name := databaseName(t, st.url)
	asking, telling := commandLines("stripe-4")
	for trouble, wrong := range map[string]http.HandlerFunc{"well": nil, "echo 401": echo(401), "echo 500": echo(500), "echo 200": echo(200), "echo 302": echo(302)} {
		var once sync.Once
		for _, p := range st.plays {
			p.goesWrong(func(n int, _ *http.Request, _ providertest.Exchange) http.HandlerFunc {
				once.Do(func() {
					leaks("pg_stat_activity", fmt.Sprint(pgtest.Server(t).Query(t, name, "SELECT query, application_name FROM pg_stat_activity")))
				})
				if n == 1 && wrong != nil && trouble != "echo 401" {
					return nil
				}
				return wrong
			})
		}
		for _, args := range asking {
			out, told, _ := st.command(args...)
			leaks(trouble+", "+strings.Join(args, " "), out+told)
		}
	}
	for _, args := range telling {
		out, told, _ := st.command(args...)
		leaks(strings.Join(args, " "), out+told)
	}
	for _, p := range st.plays {
		p.goesWrong(nil)
	}
	st.out(leaks)
	st.left(leaks)
	st.locked(leaks, asking[:4])
}

// certified gives Pix a client certificate behind a password, and the secrets
// of it: the password, and lines of the key.
func (st *stand) certified() []string {
	st.t.Helper()
	files := made(st.t)
	st.file("client.p12", string(files["client.p12"]))
	st.file("word.key", string(files["password"]))
	st.rewrites(`pix: {base_url`, fmt.Sprintf(`cert_file: %q, cert_password_file: %q, pix: {base_url`,
		filepath.Join(st.folder, "client.p12"), filepath.Join(st.folder, "word.key")))
	return append(strings.Split(strings.TrimSpace(string(files["key.pem"])), "\n")[1:2], strings.TrimSpace(string(files["password"])))
}

// rewrites changes the configuration.
func (st *stand) rewrites(before, after string) {
	st.t.Helper()
	path := filepath.Join(st.folder, "desfecho.yaml")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		st.t.Fatalf("%q is not in the configuration, %v", before, err)
	}
	st.file("desfecho.yaml", strings.Replace(string(text), before, after, 1))
}

// proxyPassword stands where none may.
const proxyPassword = "canary-proxy-90ab"

// locked gives what is refused: a certificate whose password is another, and a
// password for a proxy in the configuration.
func (st *stand) locked(leaks func(where, text string), asking [][]string) {
	st.t.Helper()
	refused := func(why string) {
		st.t.Helper()
		for _, args := range asking {
			out, told, code := st.command(args...)
			if code != exitNotUsable || !strings.Contains(told, why) {
				st.t.Errorf("%s: exit %d, want %q\n%s%s", strings.Join(args, " "), code, why, out, told)
			}
			leaks(strings.Join(args, " "), out+told)
		}
	}
	st.rewrites("cert_file:", fmt.Sprintf("proxy: %q, cert_file:", "http://user:"+proxyPassword+"@127.0.0.1:1"))
	refused("proxy: a user or password does not belong")
	st.rewrites("user:"+proxyPassword+"@", "")
	st.file("word.key", proxyPassword+"\n")
	refused("not opened by its password")
}

// left looks at what is left behind: in the database, and in files.
func (st *stand) left(leaks func(where, text string)) {
	st.t.Helper()
	for _, table := range st.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'desfecho'") {
		leaks("table "+table, strings.Join(st.query("SELECT t::text FROM desfecho."+table+" t"), "\n"))
	}
	err := filepath.WalkDir(st.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".key") || strings.HasSuffix(path, "pulse") {
			return err
		}
		text, err := os.ReadFile(path)
		leaks(path, string(text))
		return err
	})
	if err != nil {
		st.t.Fatal(err)
	}
}

// databasePassword is one that the server does not ask for.
const databasePassword = "canary-database-77c0"

// echo sends back what was sent, in every place of an answer.
func echo(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header.Get("Authorization") + r.Header.Get("access_token")
		w.Header().Set("Location", "https://elsewhere.example/?key="+strings.ReplaceAll(sent, " ", "+"))
		w.Header().Set("Retry-After", sent)
		text := map[string]string{"code": sent, "message": sent, "type": sent}
		providertest.Say(w, status, map[string]any{"error": text, "message": sent, "errors": []any{text}, "object": sent, "id": sent, sent: sent})
	}
}

// out writes the report into a file by a process of its own, which is looked at
// while it asks.
func (st *stand) out(leaks func(where, text string)) {
	st.t.Helper()
	program := st.apart("run", "-v", "-o", filepath.Join(st.folder, "report.txt"))
	var looked atomic.Int64
	st.plays["stripe"].goesWrong(func(int, *http.Request, providertest.Exchange) http.HandlerFunc {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", program.pid()))
		if err == nil {
			looked.Add(1)
		}
		leaks("the process", string(line))
		return nil
	})
	_ = program.run() // it ends with what it found
	leaks("its output", program.told.String())
	if _, err := os.Stat("/proc/self/cmdline"); err == nil && looked.Load() == 0 {
		st.t.Error("nobody looked at the process")
	}
}
