package cmd

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"desfecho/internal/atomicfile"
	merchant "desfecho/internal/shop"
	"desfecho/internal/ui"
)

//go:embed demo/*.yaml
var demoFiles embed.FS

// makeDemoFolder makes the folder anew with the configuration and the profiles
// in it, and gives its name as commands take it. A folder that holds something
// is only taken if a demo made it, and then loses nothing but what a demo
// writes.
func makeDemoFolder(folder string) (string, error) {
	folder = filepath.ToSlash(filepath.Clean(folder))
	if ui.Clean(folder).String() != folder {
		return "", &usageError{err: fmt.Errorf("--dir %s: a name with characters that no terminal shows", ui.Clean(folder))}
	}
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", fmt.Errorf("make the demo's folder: %w", err)
		}
	case err != nil:
		return "", &usageError{err: fmt.Errorf("--dir: %w", err), hint: "name a folder that is not there yet"}
	case len(entries) > 0 && !madeByDemo(folder):
		return "", &usageError{err: fmt.Errorf("%s holds something that is no demo's: it was left alone", folder), hint: "name another folder with --dir"}
	}
	// The configuration first: it tells the folder of a demo that was
	// interrupted from others.
	for _, name := range []string{"desfecho.yaml", "ledger.yaml", "objects.yaml"} {
		if err := putDemoFile(folder, name, demoText(name, folder)); err != nil {
			return "", err
		}
	}
	for _, name := range playedFiles() {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("clear the demo's folder: %w", err)
		}
	}
	return folder, nil
}

// madeByDemo tells whether the folder's configuration is a demo's: its first
// line is.
func madeByDemo(folder string) bool {
	there, err := os.ReadFile(filepath.Join(folder, "desfecho.yaml")) //nolint:gosec // the user names the folder
	first, _, _ := strings.Cut(demoText("desfecho.yaml", folder), "\n")
	line, _, _ := strings.Cut(string(there), "\n")
	return err == nil && line == first
}

// demoText is a file that the demo carries, told where it will stand.
func demoText(name, folder string) string {
	text, err := demoFiles.ReadFile("demo/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(folder)
	return strings.ReplaceAll(string(text), "{folder}", quoted)
}

// playedFiles are those that the story leaves in the folder.
func playedFiles() []string {
	names := []string{"shop.db", "shop.db-wal", "shop.db-shm", demoState}
	for _, provider := range []string{merchant.Loja, merchant.Banco} {
		for _, day := range []string{"2025-11-28", "2025-11-29"} {
			names = append(names, statementName(provider, "ledger", day), statementName(provider, "objects", day))
		}
	}
	return names
}

func putDemoFile(folder, name, text string) error {
	return atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
