package profile

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"desfecho/internal/tabular"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// maxProfile bounds the bytes of a profile file; real ones have a few thousand.
const maxProfile = 1 << 20

// builtIn is the Origin of profiles that come with the program.
const builtIn = "built in"

// Builtins lists the names of the built-in profiles, sorted.
func Builtins() []string {
	entries, err := fs.ReadDir(builtinFiles, "builtin")
	if err != nil {
		return nil // cannot be: the folder is part of the program
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// Load reads a built-in profile by its name, or a YAML file by its path. The
// error is a *UsageError, or a *tabular.Error with file and line; nothing is
// returned with it.
func Load(nameOrPath string) (*Profile, error) {
	if slices.Contains(Builtins(), nameOrPath) {
		return loadBuiltin(nameOrPath)
	}
	isPath := strings.ContainsAny(nameOrPath, `/\`) || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(nameOrPath))
	if info, err := os.Stat(nameOrPath); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &UsageError{ // before it is opened: a pipe that nobody writes to would wait for ever
			Problem: "read the profile: " + nameOrPath + " is a pipe or a device, not a file",
			Advice:  "check --profile and --attempts-profile: a profile is one YAML file",
		}
	}
	file, err := os.Open(nameOrPath) //nolint:gosec // the user names the file to read
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isPath:
		return nil, &UsageError{
			Problem: fmt.Sprintf("no profile is called %q", nameOrPath),
			Advice:  suggestion(nameOrPath, Builtins()) + ", or the path of a YAML file",
		}
	case err != nil:
		return nil, &UsageError{Problem: fmt.Sprintf("read the profile: %v", err), Advice: "check --profile and --attempts-profile: is the path right, and may you read it?"}
	}
	defer func() { _ = file.Close() }() // opened for reading only: nothing is lost
	text, err := io.ReadAll(io.LimitReader(file, maxProfile+1))
	if err != nil { // a folder opens like a file
		return nil, &UsageError{
			Problem: fmt.Sprintf("read the profile: %v", err),
			Advice:  "check --profile and --attempts-profile: a profile is one YAML file, or one of " + strings.Join(Builtins(), ", "),
		}
	}
	return Parse(nameOrPath, text)
}

func loadBuiltin(name string) (*Profile, error) {
	text, err := BuiltinText(name)
	if err != nil {
		return nil, err
	}
	return Parse(builtIn, text)
}

// BuiltinText is the YAML text of a built-in profile, for a user to begin his
// own with.
func BuiltinText(name string) ([]byte, error) {
	text, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the built-in profile %s: %w", name, err)
	}
	return text, nil
}

// Parse reads the YAML text of a profile; origin names it in messages. The
// error is a *tabular.Error.
func Parse(origin string, text []byte) (*Profile, error) {
	root, d, err := parse(origin, text, &document{})
	if err != nil {
		return nil, err
	}
	if d.Extends != "" {
		base := &document{}
		if !slices.Contains(Builtins(), d.Extends) {
			return nil, &tabular.Error{File: origin, Line: lineOf(root, []string{"extends"}), Heading: "extends", Value: d.Extends, Problem: "only a built-in profile can be extended", Hint: suggestion(d.Extends, Builtins())}
		}
		baseText, err := builtinFiles.ReadFile("builtin/" + d.Extends + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read the built-in profile %s: %w", d.Extends, err)
		}
		if _, base, err = parse(builtIn, baseText, base); err != nil {
			return nil, err
		}
		base.Unless = nil // a profile that was asked for by name is not in doubt
		headings := maps.Clone(base.Columns)
		if _, d, err = parse(origin, text, base); err != nil {
			return nil, err
		}
		d.follow(headings, root)
		if says(root, "columns") && !says(root, "hint") {
			d.Hint = "" // it names headings that are no longer asked for
		}
	}
	return compile(origin, root, d)
}

// parse decodes one YAML document over d, which may hold the values of the
// profile that it extends.
func parse(origin string, text []byte, d *document) (*yaml.Node, *document, error) {
	if len(text) > maxProfile {
		return nil, nil, &tabular.Error{File: origin, Problem: "a profile of more than 1 MiB", Hint: "this is not a profile"}
	}
	var top yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&top); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, &tabular.Error{File: origin, Problem: "no YAML: " + err.Error(), Hint: "a profile is a list of `key: value` lines; see `desfecho help profiles`"}
	}
	if len(top.Content) != 1 || top.Content[0].Kind != yaml.MappingNode {
		return nil, nil, &tabular.Error{File: origin, Problem: "a profile is a list of `key: value` lines", Hint: "begin with `profile: NAME` and `kind: statement`"}
	}
	root := top.Content[0]
	if err := checkKeys(origin, root, reflect.TypeFor[document]()); err != nil {
		return nil, nil, err
	}
	if err := root.Decode(d); err != nil {
		return nil, nil, &tabular.Error{File: origin, Problem: strings.TrimPrefix(err.Error(), "yaml: "), Hint: "see `desfecho help profiles` for the form of each key"}
	}
	return root, d, nil
}
