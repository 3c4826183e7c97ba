package shop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"desfecho/cmd"
	"desfecho/internal/shop"
)

// desk is where the program is run: a folder with the configurations of both
// tables, and the database.
type desk struct {
	t      testing.TB
	folder string
	owner  string // URL
	cron   string // URL of who compares and checks
}

// cobrancaConfig describes the table with no word for unknown.
const cobrancaConfig = `attempts:
  read: cobranca
  provider: caixa
  currency: BRL
  columns: {id: id, charge: pedido_id, key: idempotency_key, status: status, amount: valor_centavos, unit: minor, created_at: criada_em}
  references: [{here: pedido_id, there: metadata.pedido_id, scope: charge}]
  status: {pending: [pendente], succeeded: [paga], failed: [recusada]}
providers:
  - {name: caixa, account: acct_caixa, timezone: America/Sao_Paulo, succeeded_means: {charge: captured}}
`

func newDesk(t testing.TB, address string) *desk {
	t.Helper()
	d := &desk{t: t, folder: t.TempDir(), owner: address, cron: address}
	for _, name := range []string{"desfecho.yaml", "ledger.yaml", "objects.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "cmd", "demo", name))
		if err != nil {
			t.Fatal(err)
		}
		d.put(name, strings.NewReplacer(
			"{folder}", d.folder,
			"  - {name: charge_id, scope: charge, columns: charge_id}", "  - {name: charge_id, scope: charge, columns: charge_id}\n  - {name: pedido_id, scope: charge, columns: pedido_id}",
		).Replace(string(text)))
	}
	d.put("cobranca.yaml", cobrancaConfig)
	d.run(0, d.owner, "desfecho.yaml", "schema", "--apply")
	return d
}

func (d *desk) put(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// run is one command line as cron would run it. Exit 3 says that something was
// found, which is as good as 0.
func (d *desk) run(most int, address, config string, args ...string) string {
	d.t.Helper()
	var out, told bytes.Buffer
	env := []string{"DESFECHO_CONFIG=" + filepath.Join(d.folder, config), "DESFECHO_DATABASE_URL=" + address, "USER=cron"}
	code := cmd.Main(context.WithoutCancel(d.t.Context()), append([]string{"desfecho"}, args...), env, strings.NewReader(""), &out, &told)
	if code != 0 && code != most {
		d.t.Fatalf("desfecho %s: exit %d\n%s%s", strings.Join(args, " "), code, out.String(), told.String())
	}
	return out.String()
}

// roles makes PostgreSQL's roles and lets cron log in as its own. They belong
// to the cluster: one at a time.
func (d *desk) roles(exec func(string)) {
	d.t.Helper()
	rolesMutex.Lock()
	defer rolesMutex.Unlock()
	u, err := url.Parse(d.owner)
	if err != nil {
		d.t.Fatal(err)
	}
	login := "cron_" + strings.TrimPrefix(u.Path, "/")
	exec(d.run(0, d.owner, "desfecho.yaml", "schema", "--roles"))
	exec(d.run(0, d.owner, "cobranca.yaml", "schema", "--roles"))
	exec("DROP ROLE IF EXISTS " + login + "; CREATE ROLE " + login + " LOGIN IN ROLE desfecho_run")
	u.User = url.User(login)
	d.cron = u.String()
}

var rolesMutex sync.Mutex

// pull stores what both providers give for download of the days.
func (d *desk) pull(st *shop.Stage, from, to time.Time) {
	d.t.Helper()
	for provider, config := range map[string]string{shop.Loja: "desfecho.yaml", shop.Caixa: "cobranca.yaml"} {
		p := st.Providers[provider]
		for sort, download := range map[string]func(io.Writer, time.Time, time.Time, ...string) error{"ledger": p.DownloadLedger, "objects": p.DownloadObjects} {
			var text bytes.Buffer
			if err := download(&text, from, to, shop.RefCharge, shop.RefKey, shop.RefPedido); err != nil {
				d.t.Fatal(err)
			}
			d.run(0, d.cron, config, "pull", provider, "--file", d.put(provider+"-"+sort+".csv", text.String()),
				"--profile", filepath.Join(d.folder, sort+".yaml"), "--covers", from.Format(time.DateOnly)+".."+to.Format(time.DateOnly))
		}
	}
}

// told is what the program says of one table at one moment.
type told struct {
	classes map[string][]string // class to its subjects
	audits  map[string]audit    // that ended as a fault
	warned  map[string]audit    // or as a warning
}

type audit struct {
	Audit, Level, Example, Says string
	Rows                        int64
}

func (d *desk) told(config, provider string, now time.Time) told {
	d.t.Helper()
	all := told{map[string][]string{}, map[string]audit{}, map[string]audit{}}
	var report struct {
		Divergences []struct {
			Class   string
			Also    []struct{ Class string }
			Subject struct{ IDs []string }
		}
	}
	d.read(d.run(3, d.cron, config, "reconcile", provider, "--always", "--json", "--as-of", now.Format(time.RFC3339)), &report)
	for _, f := range report.Divergences {
		classes := []string{f.Class}
		for _, also := range f.Also {
			classes = append(classes, also.Class)
		}
		for _, c := range classes {
			all.classes[c] = append(all.classes[c], strings.Join(f.Subject.IDs, "+"))
		}
	}
	var checked struct{ Findings []audit }
	d.read(d.run(3, d.cron, config, "check", provider, "--json"), &checked)
	for _, f := range checked.Findings {
		switch f.Level {
		case "fault":
			all.audits[f.Audit] = f
		case "warning":
			all.warned[f.Audit] = f
		}
	}
	for _, ids := range all.classes {
		slices.Sort(ids)
	}
	return all
}

func (d *desk) read(text string, into any) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		d.t.Fatalf("%v\n%s", err, text)
	}
}
