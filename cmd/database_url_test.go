package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPasswordReachesNoMessage whatever is wrong with the database.
func TestAPasswordReachesNoMessage(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	for _, address := range []string{
		"postgres://shop:s3cr3t@/shop?host=/nonexistent", "postgres://shop:s3cr3t@127.0.0.1:1/shop?connect_timeout=2",
		"postgres://shop:s3cr3t@bad host/shop", "postgres://shop@/shop?host=/nonexistent&password=s3cr3t&x=%zz", "mongodb://shop:s3cr3t@host/shop",
		"shop:s3cr3t@host",
	} {
		s.url = address
		for _, args := range [][]string{{"reconcile"}, {"check"}, {"init"}, {"schema", "--apply", "-v"}, {"pull", "stripe", "--file", filepath.Join(s.folder, "stripe.csv")}} {
			out, told, code := s.run(args...)
			if code == 0 || strings.Contains(out+told, "s3cr3t") {
				t.Errorf("%s: %v: exit %d, told %s%s", address, args, code, out, told)
			}
		}
	}
}

// TestTheURLComesFromWhereItIsSaid: a file, a command or the environment, and
// from the configuration itself only where no other person reads it.
func TestTheURLComesFromWhereItIsSaid(t *testing.T) {
	t.Parallel()
	s := sqliteShop(t)
	address := s.url
	s.must(0, "schema", "--apply")
	s.pull(0)
	s.url = ""
	file := s.file("url", address+"\n")
	for _, test := range []struct {
		name, database string
		mode           os.FileMode
		code           int
		told           string
	}{
		{"none", "{}", 0o600, 2, "no database is configured"},
		{"file", "{url_file: " + file + "}", 0o644, 3, "failed_but_charged"},
		{"variable in the name", "{url_file: $USER/" + file + "}", 0o644, 2, "open ana//"},
		{"no such file", "{url_file: /nonexistent/url}", 0o644, 2, "database.url: open /nonexistent/url"},
		{"command", "{url_command: [cat, " + file + "]}", 0o644, 3, "failed_but_charged"},
		{"command that fails", "{url_command: ['false']}", 0o644, 2, "database.url: run false: exit status 1"},
		{"command that says nothing", "{url_command: ['true']}", 0o644, 2, "database.url: is empty"},
		{"two", "{url: 'sqlite://x', url_file: " + file + "}", 0o644, 2, "is given more than once"},
		{"without password", "{url: '" + address + "'}", 0o644, 3, "failed_but_charged"},
		{"password for all to read", "{url: 'postgres://shop:s3cr3t@host/shop'}", 0o644, 2, "others may read the file"},
		{"replica of SQLite", "{url: '" + address + "', read_url: '" + address + "'}", 0o600, 2, "SQLite has no replicas"},
		{"bare number", "{url: 'postgres://shop@/shop?host=/nonexistent', statement_timeout: 30}", 0o600, 2, "statement_timeout"},
	} {
		path := s.file("desfecho.yaml", shopConfig+"database: "+test.database+"\n")
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		out, told, code := s.run("reconcile", "--as-of", "2025-11-29T12:00:00-03:00", "--always")
		if code != test.code || !strings.Contains(out+told, test.told) || strings.Contains(out+told, "s3cr3t") {
			t.Errorf("%s: exit %d, want %d: %s%s", test.name, code, test.code, out, told)
		}
	}
}
