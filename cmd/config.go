package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"desfecho/internal/check"
	"desfecho/internal/store"
)

// Config is what the configuration file, the environment and the flags say
// together. `desfecho help environment` documents where each is looked for.
type Config struct {
	Format    string              `mapstructure:"format"`
	FailOn    string              `mapstructure:"fail_on"`
	Relook    string              `mapstructure:"relook"`
	Database  DatabaseConfig      `mapstructure:"database"`
	Attempts  store.Description   `mapstructure:"attempts"`
	Events    store.EventsTable   `mapstructure:"events"`
	Business  check.BusinessTable `mapstructure:"business"`
	Orders    OrdersConfig        `mapstructure:"orders"`
	Resolve   ResolveConfig       `mapstructure:"resolve"`
	Run       RunConfig           `mapstructure:"run"`
	Providers []ProviderConfig    `mapstructure:"providers"`
}

// ProviderConfig is one provider's account. What is left out keeps the default
// of RULES §8 or what the profile of the file says.
type ProviderConfig struct {
	Name             string            `mapstructure:"name"`
	Account          string            `mapstructure:"account"`
	Mode             string            `mapstructure:"mode"`
	Timezone         string            `mapstructure:"timezone"`
	SucceededMeans   MeansConfig       `mapstructure:"succeeded_means"`
	ChargeCapacity   string            `mapstructure:"charge_capacity"`
	OrphanAfter      string            `mapstructure:"orphan_after"`
	VisibleAfter     string            `mapstructure:"visible_after"`
	VisibleAfter5xx  string            `mapstructure:"visible_after_5xx"`
	PublishLag       string            `mapstructure:"publish_lag"`
	BooksAfter       []BooksConfig     `mapstructure:"books_after"`
	BankDays         string            `mapstructure:"bank_days"`
	RecheckGap       string            `mapstructure:"recheck_gap"`
	Skew             string            `mapstructure:"skew"`
	EvidenceMaxAge   string            `mapstructure:"evidence_max_age"`
	LookAlikeWindow  string            `mapstructure:"look_alike_window"`
	OpenLimit        string            `mapstructure:"open_limit"`
	ReviewAfter      string            `mapstructure:"review_after"`
	Variation        []VariationConfig `mapstructure:"variation"`
	Fees             []FeeConfig       `mapstructure:"fees"`
	Expected         []string          `mapstructure:"expected"`
	LookupBy         []string          `mapstructure:"lookup_by"`
	KeyRetention     string            `mapstructure:"key_retention"`
	KeyAccess        string            `mapstructure:"key_access"`
	Profiles         []string          `mapstructure:"profiles"`
	Type             string            `mapstructure:"type"`
	KeyFile          string            `mapstructure:"key_file"`
	KeyCommand       []string          `mapstructure:"key_command"`
	Connected        string            `mapstructure:"connected"`
	References       []PlaceConfig     `mapstructure:"references"`
	RateShare        int64             `mapstructure:"rate_share"`
	Proxy            string            `mapstructure:"proxy"`
	CAFile           string            `mapstructure:"ca_file"`
	BaseURL          string            `mapstructure:"base_url"`
	CertFile         string            `mapstructure:"cert_file"`
	CertKeyFile      string            `mapstructure:"cert_key_file"`
	CertPasswordFile string            `mapstructure:"cert_password_file"`
	Pix              PixConfig         `mapstructure:"pix"`
	Pagarme          PagarmeConfig     `mapstructure:"pagarme"`
	Stripe           StripeConfig      `mapstructure:"stripe"`
	Zoop             ZoopConfig        `mapstructure:"zoop"`
}

// MeansConfig says what `succeeded` means, by operation.
type MeansConfig struct {
	Charge      string `mapstructure:"charge"`
	Authorize   string `mapstructure:"authorize"`
	Capture     string `mapstructure:"capture"`
	Refund      string `mapstructure:"refund"`
	Transfer    string `mapstructure:"transfer"`
	BillPayment string `mapstructure:"bill_payment"`
}

// BooksConfig says when a ledger books a sale of the method; without a method,
// of every other one.
type BooksConfig struct {
	Method string `mapstructure:"method"`
	After  string `mapstructure:"after"`
}

// VariationConfig allows a difference of the captured amount per method, in
// basis points of the principal.
type VariationConfig struct {
	Method      string `mapstructure:"method"`
	BasisPoints int64  `mapstructure:"basis_points"`
}

// keyDelimiter keeps viper from splitting keys at dots.
const keyDelimiter = "::"

// defaults holds one value for every key: viper does not see a variable or a
// flag of a key without one.
func defaults() map[string]any {
	none := map[string]any{}
	return map[string]any{
		"format": "table", "fail_on": "P2", "relook": "7d", "database": none, "attempts": none, "events": none, "business": none, "orders": none, "resolve": none, "run": none, "providers": []any{},
	}
}

// loadConfig reads the file at path, if any, under the environment and the
// flags of the same name. Every error is a *usageError but one of the disk.
func loadConfig(path string, env environment, flags *pflag.FlagSet) (Config, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter))
	for key, value := range defaults() {
		v.SetDefault(key, value)
	}
	if path != "" {
		if err := readConfigFile(v, path); err != nil {
			return Config{}, err
		}
	}
	for key, name := range configVariables() {
		if value := env.get(name); value != "" {
			if err := v.MergeConfigMap(map[string]any{key: value}); err != nil {
				return Config{}, &usageError{err: fmt.Errorf("%s: %w", name, err)}
			}
		}
	}
	for key, name := range map[string]string{"format": "format", "fail_on": "fail-on"} {
		if flag := flags.Lookup(name); flag != nil && flag.Changed {
			if err := v.BindPFlag(key, flag); err != nil {
				return Config{}, fmt.Errorf("bind --%s: %w", name, err)
			}
		}
	}
	var config Config
	if err := v.UnmarshalExact(&config); err != nil {
		return Config{}, &usageError{err: fmt.Errorf("configuration %s: %w", path, err), hint: "see `desfecho help environment`"}
	}
	if err := config.Database.checkFile(path); err != nil {
		return Config{}, err
	}
	if err := config.Run.checkFile(path); err != nil {
		return Config{}, err
	}
	config.Database.override(env)
	return config, nil
}

// configVariables maps keys to the variables that set them. An empty variable
// is an unset one.
func configVariables() map[string]string {
	return map[string]string{"format": "DESFECHO_FORMAT", "fail_on": "DESFECHO_FAIL_ON"}
}

func readConfigFile(v *viper.Viper, path string) error {
	text, err := configText(path)
	if err != nil {
		return &usageError{err: fmt.Errorf("read the configuration: %w", err), hint: "check --config and DESFECHO_CONFIG"}
	}
	if err := checkKeys(path, text); err != nil {
		return err
	}
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(text)); err != nil {
		return &usageError{err: fmt.Errorf("configuration %s: %w", path, err)}
	}
	return nil
}

// maxConfig bounds the bytes of a configuration; real ones have a few thousand.
const maxConfig = 1 << 20

// configText reads a regular file: a pipe may wait for ever, a device never end.
func configText(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a folder, a pipe or a device, not a file", path)
	}
	file, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err //nolint:wrapcheck // names operation and path
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s has more than 1 MiB, which is no configuration", path)
	}
	return text, err
}

// configPath finds the file: the flag, else DESFECHO_CONFIG, else the user's
// own, else the machine's; "" where there is none. The working directory is
// never searched: under cron it is anybody's.
func configPath(flag string, env environment) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if path := env.get("DESFECHO_CONFIG"); path != "" {
		return path, nil
	}
	for _, path := range searchPath(env) {
		_, err := os.Stat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", &usageError{err: fmt.Errorf("look for the configuration: %w", err), hint: "name one with --config"}
		}
	}
	return "", nil
}

func searchPath(env environment) []string {
	var paths []string
	home := env.get("XDG_CONFIG_HOME")
	if home == "" && env.get("HOME") != "" {
		home = filepath.Join(env.get("HOME"), ".config")
	}
	if home != "" {
		paths = append(paths, filepath.Join(home, "desfecho", "config.yaml"))
	}
	return append(paths, "/etc/desfecho/desfecho.yaml")
}
