package cmd

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/store/file"
	"desfecho/providers/statementfile"
	"desfecho/reconcile"
)

// read is a run that has read one statement of stripe under the configuration.
func read(entry ProviderConfig) *run {
	return &run{
		d: &deps{}, o: &reconcileOptions{}, config: Config{Providers: []ProviderConfig{entry}},
		statements: []statementSource{{}},
		files: []*statementfile.File{{
			Statements: []payment.Statement{{Provider: "stripe", Account: "acct_1", Sort: payment.ObjectList}},
			Profile: &profile.Profile{
				BooksAfter: 48 * time.Hour,
				Statement:  profile.StatementRules{LineIDsUnique: true, Expected: []string{"topup"}},
			},
		}},
		own: &file.Attempts{Profile: &profile.Profile{Attempts: profile.AttemptRules{
			NoUnknownWord:  true,
			SucceededMeans: map[payment.Operation]string{payment.Charge: "created", payment.Refund: "created"},
		}}},
	}
}

func TestFlagBeatsConfigurationBeatsProfileBeatsDefault(t *testing.T) {
	t.Parallel()
	r := read(ProviderConfig{Name: "stripe", SucceededMeans: MeansConfig{Charge: "authorized"}, PublishLag: "2h", EvidenceMaxAge: "2m", BooksAfter: []BooksConfig{{Method: "card", After: "30d"}}})
	policy, err := r.policy("stripe")
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]bool{
		"configured means":      policy.SucceededMeans[payment.Charge] != reconcile.MeansAuthorized,
		"profile's means":       policy.SucceededMeans[payment.Refund] != reconcile.MeansCreated,
		"means taken":           policy.SucceededMeans[payment.Transfer] != reconcile.MeansCaptured,
		"configured length":     policy.PublishLag != 2*time.Hour,
		"configured age":        policy.EvidenceMaxAge != 2*time.Minute,
		"profile's length":      policy.BooksAfter != 48*time.Hour,
		"configured by method":  policy.BooksAfterBy["card"] != 720*time.Hour,
		"default length":        policy.OpenLimit != 24*time.Hour,
		"profile's expected":    !policy.Expects("topup"),
		"profile's words":       !policy.NoUnknownWord,
		"statement's sort":      !policy.HasObjectList,
		"statement's account":   len(policy.Accounts) != 1 || policy.Accounts[0] != "acct_1",
		"zone where none is":    policy.Zone != time.UTC,
		"ids that are unique":   !policy.LineIDsUnique,
		"capacity by default":   policy.CapacityMany,
		"assumption is printed": r.meansAssumed() != "",
	} {
		if wrong {
			t.Errorf("%s: got %+v", name, policy)
		}
	}
	r.o.succeededMeans, r.o.parsed.succeededMeans = "created", reconcile.MeansCreated
	if policy, err = r.policy("stripe"); err != nil || policy.SucceededMeans[payment.Charge] != reconcile.MeansCreated {
		t.Errorf("flag: got %+v, %v", policy.SucceededMeans, err)
	}
}

func TestBankDaysAreThoseOfTheCountry(t *testing.T) {
	t.Parallel()
	carnival := payment.DayOfDate(2026, time.February, 16)
	for name, c := range map[string]struct {
		entry  ProviderConfig
		closed bool
	}{
		"said":                 {ProviderConfig{Name: "stripe", BankDays: "brazil"}, true},
		"of who settles there": {ProviderConfig{Name: "stripe", Type: "pagarme"}, true},
		"said to be all":       {ProviderConfig{Name: "stripe", Type: "pagarme", BankDays: "all"}, false},
		"not said":             {ProviderConfig{Name: "stripe"}, false},
	} {
		policy, err := read(c.entry).policy("stripe")
		if err != nil || (policy.Closed != nil && policy.Closed(carnival)) != c.closed {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(ProviderConfig{Name: "stripe", BankDays: "brasil"}).policy("stripe"); err == nil || !strings.Contains(err.Error(), "want all or brazil") {
		t.Errorf("a country that nobody knows: %v", err)
	}
}

func TestAnEntryOfAnotherAccountOrModeIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, entry := range []ProviderConfig{
		{Name: "stripe", Account: "acct_2", PublishLag: "2h"},
		{Name: "stripe", Mode: "test", PublishLag: "2h"},
		{Name: "Stripe", PublishLag: "2h"},
	} {
		if policy, err := read(entry).policy("stripe"); err != nil || policy.PublishLag == 2*time.Hour {
			t.Errorf("%+v was taken (%v)", entry, err)
		}
	}
}

func TestTheExamplesOfConfigurationAreCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`(?m)^    (format: .*\n(?:    .*\n)+)`).FindStringSubmatch(string(page))
	if example == nil {
		t.Fatal("docs/environment.md shows no configuration")
	}
	etc, err := os.ReadFile("../etc/desfecho.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, settings, _ := strings.Cut(string(etc), "\n\n")
	for name, text := range map[string]string{
		"docs/environment.md":             strings.ReplaceAll(example[1], "\n    ", "\n"),
		"etc/desfecho.yaml":               string(etc),
		"etc/desfecho.yaml, put in force": regexp.MustCompile(`(?m)^# ?`).ReplaceAllString(settings, ""),
	} {
		config, err := loadConfig(writeConfig(t, text), nil, pflag.NewFlagSet("test", pflag.ContinueOnError))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, entry := range config.Providers {
			policy := reconcile.NewPolicy(entry.Name)
			policy.SucceededMeans = map[payment.Operation]reconcile.Means{}
			if err := entry.apply(&policy); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if name != "etc/desfecho.yaml" && len(config.Providers) != 1 {
			t.Errorf("%s: %d providers", name, len(config.Providers))
		}
	}
}

// TestAnotherProvidersMeansDoNotHideTheAssumption: the report says what was
// taken for granted of the providers that it compares.
func TestAnotherProvidersMeansDoNotHideTheAssumption(t *testing.T) {
	t.Parallel()
	r := read(ProviderConfig{Name: "asaas", SucceededMeans: MeansConfig{Charge: "created"}})
	if got := r.meansAssumed(); got == "" {
		t.Error("the assumption is not printed")
	}
}
