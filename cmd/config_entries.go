package cmd

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// checkEntries wants every provider's entry to have a name, and no two to stand
// for one account and mode: only the first would ever be used.
func checkEntries(path string, file *yaml.Node) error {
	list := valueOf(file, "providers")
	if list == nil {
		return nil
	}
	for i, entry := range list.Content {
		if wordOf(entry, "name") == "" {
			return keyError(path, entry, fmt.Sprintf("providers[%d] has no name", i), "write `name:` as in the provider column of your attempts")
		}
		for _, before := range list.Content[:i] {
			if wordOf(before, "name") == wordOf(entry, "name") && meet(before, entry, "account") && meet(before, entry, "mode") {
				return keyError(path, entry, fmt.Sprintf("a second entry of provider %q (the first in line %d)", wordOf(entry, "name"), before.Line),
					"keep one, or give each the account or mode that it is for")
			}
		}
	}
	return nil
}

// meet tells whether two entries may stand for the same: one that leaves the
// key out stands for any.
func meet(a, b *yaml.Node, key string) bool {
	one, other := wordOf(a, key), wordOf(b, key)
	return one == "" || other == "" || one == other
}

func wordOf(mapping *yaml.Node, key string) string {
	if value := valueOf(mapping, key); value != nil && value.Tag != "!!null" {
		return strings.TrimSpace(value.Value)
	}
	return ""
}

func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}
