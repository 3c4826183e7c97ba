//go:build unix

package cmd

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"desfecho/providers/providertest"
)

// TestARunOverEveryProviderSaysWhatIsWrong and nothing else: 0 where all is
// well, 3 with the very findings where it is not.
func TestARunOverEveryProviderSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(psps()))
	for _, clean := range []bool{true, false} {
		st := openStand(t, sqliteShop(t), clean, names...)
		code := exitDivergences
		if clean {
			code = exitDone
		}
		out, told := st.wants(code, "run")
		for _, name := range names {
			for class, id := range map[string]string{"unknown_charged": name + "-4", "missing_at_provider": name + "-5"} {
				if found := strings.Contains(line(out, id), class); found == clean {
					t.Errorf("clean %t, %s of %s: %t\n%s%s", clean, class, name, found, out, told)
				}
			}
			if !strings.Contains(told, name+" ") {
				t.Errorf("nobody says that %s was asked:\n%s", name, told)
			}
		}
	}
}

// line is the first line of a report about an attempt.
func line(report, id string) string {
	for _, l := range strings.Split(report, "\n") {
		if slices.Contains(strings.Fields(l), id) {
			return l
		}
	}
	return ""
}

// TestARunUnderTroubleClaimsNothing: whatever is wrong with all providers but
// one, the run is incomplete, nothing of theirs is covered or called absent,
// and the other one's findings are told. Once it is well again the next run
// ends with the store and the findings of an undisturbed one.
func TestARunUnderTroubleClaimsNothing(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(psps()))
	st := openStand(t, sqliteShop(t), false, names...)
	early := st.at.Add(-24 * time.Hour)
	st.wants(exitDone, "pull", "--since", early.Format(time.DateOnly), "--until", early.Add(24*time.Hour).Format(time.DateOnly))
	first, back := st.kept(names...), st.keep("first")
	out, _ := st.wants(exitDivergences, "run")
	findings, whole := found(out), st.kept(names...)
	if len(findings) != 2*len(names) || whole == first {
		t.Fatalf("undisturbed: %q", findings)
	}
	for i, trouble := range troubles() {
		well := names[i%len(names)]
		back()
		for _, name := range names {
			if p := st.plays[name]; name != well {
				p.goesWrong(func(n int, r *http.Request, good providertest.Exchange) http.HandlerFunc {
					if n == 1 { // whose account it is
						return nil
					}
					return trouble.answer(p, r, good)
				})
				if trouble.Slow() {
					st.silent = append(st.silent, p.host)
				}
			}
		}
		out, told := st.wants(exitIncomplete, "run")
		for _, name := range names {
			st.plays[name].goesWrong(nil)
			switch got := found(out)[name+"-5"]; {
			case name == well && (got != "missing_at_provider" || found(out)[name+"-4"] != "unknown_charged"):
				t.Errorf("%s, and %s is well: %s\n%s", trouble.Name, name, out, told)
			case name != well && (got != "" || !trouble.partly && st.kept(name) != only(first, name)):
				t.Errorf("%s: %s of %s is %q; kept\n%s\n%s%s", trouble.Name, name+"-5", name, got, st.kept(name), out, told)
			}
		}
		st.silent = nil
		later, told := st.wants(exitDivergences, "run")
		if diff := cmp.Diff(whole, st.kept(names...)); diff != "" {
			t.Errorf("%s, and later well (-undisturbed +later)\n%s", trouble.Name, diff)
		}
		all := found(out)
		maps.Copy(all, found(later)) // what was told is not told again
		if diff := cmp.Diff(findings, all); diff != "" {
			t.Errorf("%s, and later well (-undisturbed +later)\n%s\n%s%s", trouble.Name, diff, later, told)
		}
		if t.Failed() {
			return
		}
	}
}

// TestAFirstRunThatReadsNothingIsIncomplete, also where a credential is refused:
// what is lacking is not the command line's.
func TestAFirstRunThatReadsNothingIsIncomplete(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusServiceUnavailable} {
		st := openStand(t, sqliteShop(t), false, "stripe", "asaas")
		for _, p := range st.plays {
			p.goesWrong(func(int, *http.Request, providertest.Exchange) http.HandlerFunc {
				return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
			})
		}
		out, told := st.wants(exitIncomplete, "run")
		if out != "" || !strings.Contains(told, "covers anything yet; nothing was judged") || !strings.Contains(told, "no report was written; run it again") {
			t.Errorf("status %d: %q, %s", status, out, told)
		}
		st.wants(exitNotUsable, "reconcile")
		for _, p := range st.plays {
			p.goesWrong(nil)
		}
		st.wants(exitDivergences, "run")
	}
}

// found are the classes of a report by attempt.
func found(report string) map[string]string {
	all := map[string]string{}
	for l := range strings.Lines(report) {
		if fields := strings.Split(l, "\t"); len(fields) > 3 && fields[2] == "attempt" {
			all[fields[3]] = fields[1]
		}
	}
	return all
}

// only are the rows of what is kept that are of a provider.
func only(kept, name string) string {
	var rows []string
	for row := range strings.SplitSeq(kept, "\n") {
		if fields := strings.Fields(row); len(fields) > 1 && fields[1] == name {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

// trouble is one way in which a provider gives no answer.
type trouble struct {
	providertest.Trouble
	partly bool // days without a second page are read
	answer func(p *played, r *http.Request, good providertest.Exchange) http.HandlerFunc
}

// troubles are one of each sort: that an adapter takes none of them for an
// answer its own contract shows.
func troubles() (all []trouble) {
	sorts := []string{
		"401", "403", "404 of a gateway", "409", "429", "500", "502 with a page", "200 with a page that says JSON", "302", "no answer",
		"half an answer, then silence", "half an answer, then closed", "closed", "half the JSON", "a key twice", "gzip bomb", "200 with {}",
	}
	for _, of := range providertest.Troubles() {
		if !slices.Contains(sorts, of.Name) {
			continue
		}
		all = append(all, trouble{of, false, func(_ *played, _ *http.Request, good providertest.Exchange) http.HandlerFunc { return of.Answer(good) }})
	}
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			providertest.Say(w, http.StatusOK, json.RawMessage(text))
		}
	}
	return append(all,
		trouble{providertest.Trouble{Name: "200 with the provider's own error"}, false, func(p *played, _ *http.Request, _ providertest.Exchange) http.HandlerFunc {
			return says(p.fault)
		}},
		trouble{providertest.Trouble{Name: "the first page again"}, true, func(p *played, r *http.Request, _ providertest.Exchange) http.HandlerFunc {
			first := r.Clone(r.Context())
			query := first.URL.Query()
			for _, name := range []string{"starting_after", "offset"} {
				query.Del(name)
			}
			for name, value := range map[string]string{"page": "1", "paginacao.paginaAtual": "0"} {
				if query.Has(name) {
					query.Set(name, value)
				}
			}
			first.URL.RawQuery = query.Encode()
			_, body := p.answer(first)
			text, err := json.Marshal(body)
			if err != nil {
				panic(err)
			}
			return says(string(text))
		}},
	)
}

// TestAKilledPullOfAnyProviderGoesOnWhereItStopped: the process is killed while
// it asks for each page in turn; the next one ends with the store of an
// undisturbed one, to the byte.
func TestAKilledPullOfAnyProviderGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for name := range psps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := openStand(t, sqliteShop(t), false, name)
			p, back := st.plays[name], st.keep("first")
			pull := []string{"pull", "--since", st.at.Format(time.DateOnly), "--until", st.at.Add(24 * time.Hour).Format(time.DateOnly)}
			st.wants(exitDone, pull...)
			whole, pages := st.pulled(), p.requests()
			if pages < 4 {
				t.Fatalf("%d requests", pages)
			}
			for n := 1; n <= pages; n++ {
				back()
				program := st.apart(pull...)
				p.goesWrong(func(asked int, _ *http.Request, _ providertest.Exchange) http.HandlerFunc {
					if asked < n {
						return nil
					}
					return func(_ http.ResponseWriter, r *http.Request) {
						_ = syscall.Kill(program.pid(), syscall.SIGKILL)
						<-r.Context().Done()
					}
				})
				if err := program.run(); err == nil || !killed(program.ProcessState) {
					t.Fatalf("at request %d: %v", n, err)
				}
				p.goesWrong(nil)
				st.expire()
				st.wants(exitDone, pull...)
				if diff := cmp.Diff(whole, st.pulled()); diff != "" {
					t.Fatalf("killed at request %d of %d (-undisturbed +killed)\n%s", n, pages, diff)
				}
			}
			t.Logf("killed %d times", pages)
		})
	}
}

// pulled is all that the database holds, but for which of several readers read
// a part of a statement.
func (st *stand) pulled() string {
	st.t.Helper()
	return strings.Join(slices.DeleteFunc(strings.Split(st.state(), "\n"), func(row string) bool {
		return strings.HasPrefix(row, "cursors ") && strings.Contains(row, " progress {")
	}), "\n")
}
