package cmd

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"desfecho/internal/check"
	"desfecho/internal/store"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "desfecho.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEveryKeyHasADefault guards against the trap that viper does not see a
// variable or a flag of a key that has none.
func TestEveryKeyHasADefault(t *testing.T) {
	t.Parallel()
	for key := range keysOf(reflect.TypeFor[Config]()) {
		if _, ok := defaults()[key]; !ok {
			t.Errorf("key %q has no default", key)
		}
	}
	for key := range defaults() {
		if _, ok := keysOf(reflect.TypeFor[Config]())[key]; !ok {
			t.Errorf("default of %q, which is no key", key)
		}
	}
}

func TestEveryFieldHasItsOwnKey(t *testing.T) {
	t.Parallel()
	for _, structure := range []reflect.Type{
		reflect.TypeFor[Config](), reflect.TypeFor[ProviderConfig](), reflect.TypeFor[MeansConfig](),
		reflect.TypeFor[BooksConfig](), reflect.TypeFor[VariationConfig](), reflect.TypeFor[FeeConfig](), reflect.TypeFor[DatabaseConfig](),
		reflect.TypeFor[store.Description](), reflect.TypeFor[store.Columns](), reflect.TypeFor[store.Join](), reflect.TypeFor[store.ReferenceAt](),
		reflect.TypeFor[store.StatusWords](), reflect.TypeFor[store.OperationWords](), reflect.TypeFor[store.ReserveWords](),
		reflect.TypeFor[store.EventsTable](), reflect.TypeFor[store.EventColumns](), reflect.TypeFor[store.EventReference](),
		reflect.TypeFor[check.BusinessTable](), reflect.TypeFor[check.BusinessColumns](),
	} {
		keys := keysOf(structure)
		if _, unnamed := keys[""]; unnamed || len(keys) != structure.NumField() {
			t.Errorf("%s: keys %v for %d fields", structure, sortedKeys(keys), structure.NumField())
		}
		for key := range keys {
			if key != strings.ToLower(key) || strings.Contains(key, keyDelimiter) {
				t.Errorf("%s: key %q", structure, key)
			}
		}
	}
}

func TestFlagBeatsVariableBeatsFileBeatsDefault(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "fail_on: P3\nformat: csv\n")
	for _, test := range []struct {
		name, path string
		env        environment
		args       []string
		want       string
	}{
		{"default", "", nil, nil, "P2"},
		{"file", path, nil, nil, "P3"},
		{"variable", path, environment{"DESFECHO_FAIL_ON": "P4"}, nil, "P4"},
		{"empty variable is unset", path, environment{"DESFECHO_FAIL_ON": ""}, nil, "P3"},
		{"variable without file", "", environment{"DESFECHO_FAIL_ON": "P4"}, nil, "P4"},
		{"flag", path, environment{"DESFECHO_FAIL_ON": "P4"}, []string{"--fail-on", "P1"}, "P1"},
	} {
		flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
		flags.String("fail-on", "", "")
		flags.String("format", "", "")
		if err := flags.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		config, err := loadConfig(test.path, test.env, flags)
		if err != nil || config.FailOn != test.want {
			t.Errorf("%s: got %q, %v; want %q", test.name, config.FailOn, err, test.want)
		}
	}
}

func TestAWholeFileIsRead(t *testing.T) {
	t.Parallel()
	config, err := loadConfig(writeConfig(t, `
providers:
  - name: Pix.Bank
    account: acct_1
    mode: test
    timezone: America/Sao_Paulo
    succeeded_means: {charge: captured, bill_payment: created}
    books_after: [{method: card, after: 30d}, {after: 1d}]
    variation: [{method: Boleto, basis_points: 300}]
    expected: [Static_QR]
`), nil, pflag.NewFlagSet("test", pflag.ContinueOnError))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Format: "table", FailOn: "P2", Relook: "7d", Providers: []ProviderConfig{{
		Name: "Pix.Bank", Account: "acct_1", Mode: "test", Timezone: "America/Sao_Paulo",
		SucceededMeans: MeansConfig{Charge: "captured", BillPayment: "created"},
		BooksAfter:     []BooksConfig{{Method: "card", After: "30d"}, {After: "1d"}},
		Variation:      []VariationConfig{{Method: "Boleto", BasisPoints: 300}},
		Expected:       []string{"Static_QR"},
	}}}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheConfigurationIsRefusedWithItsPlaceAndTheNearestName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, message, hint string }{
		{"typo", "fail_onn: P1\n", `:1:1: unknown key "fail_onn"`, `"fail_on"`},
		{"typo within", "providers:\n  - name: a\n    timzone: UTC\n", `:3:5: unknown key "timzone" in providers[0]`, `"timezone"`},
		{"nothing near", "qwertyuiop: 1\n", `unknown key "qwertyuiop"`, "known here: attempts, business, database, events, fail_on, format, orders, providers, relook"},
		{"twice in two cases", "format: csv\nFormat: md\n", `:2:1: key "Format" stands twice (first in line 1`, "keep one"},
		{"other case", "Format: csv\n", `unknown key "Format"`, `"format"`},
		{"wrong indentation", "providers:\n  name: a\n", "providers must be a list", "- "},
		{"a list for a value", "format: [csv]\n", "format must be one value", ""},
		{"a value for a list", "providers: stripe\n", "providers must be a list", "- "},
		{"no keys", "- a\n", "the file must be keys with values", ""},
		{"an alias", "format: &a csv\nfail_on: *a\n", "fail_on must be one value", ""},
		{"a bare number for a time", "events:\n  stale_after: 3600\n", ":2:16: events.stale_after must be a length of time such as 1h", ""},
		{"no YAML", "format: [\n", "configuration ", ""},
		{"two documents", "format: csv\n---\nformat: md\n", ":2:1: a second document", "---"},
		{"no name", "providers:\n  - timezone: UTC\n", ":2:5: providers[0] has no name", "name:"},
		{"an empty name", "providers:\n  - {name: a}\n  - name:\n", ":3:5: providers[1] has no name", "name:"},
		{"one provider twice", "providers:\n  - {name: a}\n  - {name: b}\n  - {name: a, account: x}\n", `:4:5: a second entry of provider "a" (the first in line 2)`, "account"},
		{"a fraction", "providers:\n  - name: a\n    variation: [{method: a, basis_points: 300.9}]\n", `:3:43: providers[0].variation[0].basis_points must be a whole number, not "300.9"`, ""},
		{"no number but a truth", "providers:\n  - name: a\n    variation: [{method: a, basis_points: true}]\n", `must be a whole number, not "true"`, ""},
		{"no number", "providers:\n  - variation: [{method: a, basis_points: ten}]\n", "basis_points", ""},
	} {
		_, err := loadConfig(writeConfig(t, test.text), nil, pflag.NewFlagSet("test", pflag.ContinueOnError))
		problem := describe(t.Context(), err)
		if problem.Code != int(exitNotUsable) || !strings.Contains(problem.Message, test.message) || !strings.Contains(problem.Hint, test.hint) {
			t.Errorf("%s: got %+v", test.name, problem)
		}
	}
}

func TestTheFileIsNeverLookedForInTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		env  environment
		want []string
	}{
		{nil, []string{"/etc/desfecho/desfecho.yaml"}},
		{environment{"HOME": "/home/ana"}, []string{"/home/ana/.config/desfecho/config.yaml", "/etc/desfecho/desfecho.yaml"}},
		{environment{"HOME": "/home/ana", "XDG_CONFIG_HOME": "/x"}, []string{"/x/desfecho/config.yaml", "/etc/desfecho/desfecho.yaml"}},
	} {
		if diff := cmp.Diff(test.want, searchPath(test.env)); diff != "" {
			t.Errorf("%v (-want +got)\n%s", test.env, diff)
		}
	}
}

func TestAFileThatIsNamedMustBeThere(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.yaml")
	for name, find := range map[string]func() (string, error){
		"flag":     func() (string, error) { return configPath(missing, nil) },
		"variable": func() (string, error) { return configPath("", environment{"DESFECHO_CONFIG": missing}) },
	} {
		path, err := find()
		if err == nil {
			_, err = loadConfig(path, nil, pflag.NewFlagSet("test", pflag.ContinueOnError))
		}
		if code := codeOf(err); err == nil || code != exitNotUsable {
			t.Errorf("%s: got %v, exit %d", name, err, code)
		}
	}
}

func TestOneProviderMayHaveAnEntryPerAccountAndMode(t *testing.T) {
	t.Parallel()
	text := "providers:\n  - {name: a, account: x, mode: live}\n  - {name: a, account: x, mode: test}\n  - {name: a, account: y}\n"
	config, err := loadConfig(writeConfig(t, text), nil, pflag.NewFlagSet("test", pflag.ContinueOnError))
	if err != nil || len(config.Providers) != 3 {
		t.Errorf("%+v, %v", config, err)
	}
}
