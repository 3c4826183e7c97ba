package cmd

import (
	"slices"
	"strings"
)

// environment holds the process's variables; the commands never ask the
// process itself, so a test can give them any.
type environment map[string]string

func environmentOf(pairs []string) environment {
	env := make(environment, len(pairs))
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

// get is the variable's value; an empty one counts as unset.
func (e environment) get(name string) string { return e[name] }

// pairs is the environment for a command that is started.
func (e environment) pairs() []string {
	all := make([]string, 0, len(e))
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}
