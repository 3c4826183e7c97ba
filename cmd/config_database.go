package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"

	"desfecho/internal/secret"
)

// DatabaseConfig says which database is opened. Of url, url_file and
// url_command one is given; DESFECHO_DATABASE_URL stands over all of them. The
// read ones name a replica that serves the attempts.
type DatabaseConfig struct {
	URL              secret.Secret `mapstructure:"url"`
	URLFile          string        `mapstructure:"url_file"`
	URLCommand       []string      `mapstructure:"url_command"`
	ReadURL          secret.Secret `mapstructure:"read_url"`
	ReadURLFile      string        `mapstructure:"read_url_file"`
	ReadURLCommand   []string      `mapstructure:"read_url_command"`
	StatementTimeout string        `mapstructure:"statement_timeout"`
}

// given tells whether a database is named at all.
func (c *DatabaseConfig) given() bool {
	return c.URL != "" || c.URLFile != "" || len(c.URLCommand) > 0
}

// checkFile refuses a password in a file that others may read.
func (c *DatabaseConfig) checkFile(path string) error {
	if !hasPassword(c.URL) && !hasPassword(c.ReadURL) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at the configuration: %w", err)
	}
	if private(info) {
		return nil
	}
	return &usageError{
		err:  fmt.Errorf("configuration %s: a URL of database holds a password, and others may read the file", path),
		hint: "chmod 600 the file, or put the URL into a file of its own and name it as url_file",
	}
}

func hasPassword(text secret.Secret) bool {
	u, err := url.Parse(text.Reveal())
	if err != nil {
		return true // what cannot be read is better taken for one
	}
	_, set := u.User.Password()
	return set || u.Query().Has("password")
}

// override lays the environment over the file.
func (c *DatabaseConfig) override(env environment) {
	if text := env.get("DESFECHO_DATABASE_URL"); text != "" {
		c.URL, c.URLFile, c.URLCommand = secret.Secret(text), "", nil
	}
	if text := env.get("DESFECHO_DATABASE_READ_URL"); text != "" {
		c.ReadURL, c.ReadURLFile, c.ReadURLCommand = secret.Secret(text), "", nil
	}
}

// urls finds both URLs; the second is "" where no replica is named.
func (c *DatabaseConfig) urls(ctx context.Context, env environment) (primary, replica secret.Secret, err error) {
	primary, err = urlSource{"url", c.URL, c.URLFile, c.URLCommand}.read(ctx, env)
	if err != nil {
		return "", "", err
	}
	if primary == "" {
		return "", "", errNoDatabase()
	}
	replica, err = urlSource{"read_url", c.ReadURL, c.ReadURLFile, c.ReadURLCommand}.read(ctx, env)
	return primary, replica, err
}

func errNoDatabase() error {
	return &usageError{
		err:  errors.New("no database is configured"),
		hint: "name one under `database:` in the configuration or in DESFECHO_DATABASE_URL: see `desfecho help database`",
	}
}

// urlSource is where one URL may come from.
type urlSource struct {
	key     string
	text    secret.Secret
	file    string
	command []string
}

func (s urlSource) read(ctx context.Context, env environment) (secret.Secret, error) {
	given := 0
	for _, there := range []bool{s.text != "", s.file != "", len(s.command) > 0} {
		if there {
			given++
		}
	}
	text, err := s.text.Reveal(), error(nil)
	switch {
	case given == 0:
		return "", nil
	case given > 1:
		err = errors.New("is given more than once")
	case s.file != "":
		text, err = readSecret(os.Expand(s.file, env.get))
	case len(s.command) > 0:
		text, err = runSecret(ctx, s.command, env)
	}
	if text = strings.TrimSpace(text); err == nil && text == "" {
		err = errors.New("is empty")
	}
	if err != nil {
		return "", &usageError{err: fmt.Errorf("configuration, database.%s: %w", s.key, err), hint: fmt.Sprintf("give one of %s, %s_file and %s_command", s.key, s.key, s.key)}
	}
	return secret.Secret(text), nil
}

func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the user names the file
	return string(text), err
}

// runSecret runs a command without a shell. What it prints on its error stream
// is not repeated: it may hold what the command was asked for.
func runSecret(ctx context.Context, words []string, env environment) (string, error) {
	command := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user names the command
	command.Env = env.pairs()
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("run %s: %w", words[0], err)
	}
	return string(out), nil
}
