package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode"

	"desfecho/internal/payment"
	"desfecho/internal/provider"
	"desfecho/internal/secret"
)

// PlaceConfig says where a reference stands at one provider, where that is not
// the place that attempts.references names.
type PlaceConfig struct {
	Name  string `mapstructure:"name"`
	There string `mapstructure:"there"`
}

// online tells whether the provider can be asked, and not only read from files.
func (p *ProviderConfig) online() bool { return p.Type != "" }

// label names the entry to people.
func (p *ProviderConfig) label() string {
	return strings.Join(strings.Fields(p.Name+" "+p.Account+" "+p.Mode), " ")
}

// key reads the provider's credential: from key_file, from what key_command
// prints, or from the variable that is named after the provider.
func (c *Config) key(ctx context.Context, p *ProviderConfig, env environment) (secret.Secret, error) {
	variable := keyVariable(p.Name)
	text := env.get(variable)
	if text != "" && len(c.entries(p.Name)) > 1 {
		return "", p.problem(fmt.Errorf("%s stands for several entries of it: name a key_file or key_command in each", variable))
	}
	var given []string
	for name, there := range map[string]bool{variable: text != "", "key_file": p.KeyFile != "", "key_command": len(p.KeyCommand) > 0} {
		if there {
			given = append(given, name)
		}
	}
	var err error
	switch {
	case len(given) == 0 && p.Type == loopbackType:
		return "", nil
	case len(given) == 0:
		err = fmt.Errorf("no key: name one in key_file, key_command or %s", variable)
	case len(given) > 1:
		err = errors.New("its key is given more than once: by key_file, key_command or " + variable)
	case p.KeyFile != "":
		text, err = readOwn("key_file", os.Expand(p.KeyFile, env.get))
	case len(p.KeyCommand) > 0:
		text, err = runSecret(ctx, p.KeyCommand, env)
	}
	if text = strings.TrimSpace(text); err == nil && text == "" {
		err = errors.New("its key is empty")
	}
	if err != nil {
		return "", p.problem(err)
	}
	return secret.Secret(text), nil
}

// keyVariable is DESFECHO_KEY_ and the provider's name in capitals.
func keyVariable(name string) string {
	return "DESFECHO_KEY_" + strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToUpper(r)
		}
		return '_'
	}, name)
}

// private tells whether nobody else can read or change a file. One that its
// group may read, and nobody may write, counts where it is ours or root's: so
// does systemd hand out credentials.
func private(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	return mode&0o077 == 0 || mode == 0o440 && owned(info)
}

// readOwn reads a private file; name is its setting's.
func readOwn(name, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %s is no file", name, path)
	}
	if !private(info) {
		return "", fmt.Errorf("%s: others may read %s; chmod 600 it", name, path)
	}
	return readSecret(path)
}

// places says where the merchant's references stand at the provider.
func (c *Config) places(p *ProviderConfig) (places []provider.Place, err error) {
	for i, ref := range c.Attempts.References {
		place := provider.Place{Name: ref.Name, There: ref.There}
		if place.Name == "" {
			place.Name = strings.TrimPrefix(ref.There, "metadata.")
		}
		if place.Scope, err = payment.ParseScope(ref.Scope); err != nil {
			return nil, &usageError{err: fmt.Errorf("configuration, attempts.references[%d]: %w", i, err)}
		}
		if len(p.References) == 0 {
			places = append(places, place)
		}
		for _, own := range p.References {
			if own.Name == place.Name {
				place.There = own.There
				places = append(places, place)
			}
		}
	}
	for _, own := range p.References {
		if !named(places, own.Name) {
			return nil, p.problem(fmt.Errorf("reference %q is none of attempts.references", own.Name))
		}
	}
	return places, nil
}

func named(places []provider.Place, name string) bool {
	for _, p := range places {
		if p.Name == name {
			return true
		}
	}
	return false
}

// zone is where the account's days are days: the provider's own where it has
// one, else what is configured, else UTC.
func (p *ProviderConfig) zone(able *provider.Capabilities) (*time.Location, error) {
	name := p.Timezone
	if able.Zone != "" {
		if name != "" && name != able.Zone {
			return nil, p.problem(fmt.Errorf("timezone %s: the days of %s are those of %s", name, p.Type, able.Zone))
		}
		name = able.Zone
	}
	if name == "" {
		return time.UTC, nil
	}
	zone, err := loadZone(name)
	if err != nil {
		return nil, p.problem(err)
	}
	return zone, nil
}
