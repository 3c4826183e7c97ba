package profile

import (
	"maps"
	"slices"

	yaml "go.yaml.in/yaml/v3"
)

// follow lets references and units that a profile inherits read the headings
// that it gave their columns: who renames the key's column renames it for the
// reference that is filled from the key, too. What the profile says itself
// stays as it is.
func (d *document) follow(inherited map[string]columnList, root *yaml.Node) {
	now := map[Column]columnList{}
	for _, field := range slices.Sorted(maps.Keys(inherited)) {
		if was := inherited[field]; !slices.Equal(was, d.Columns[field]) {
			for _, heading := range was {
				now[heading] = d.Columns[field]
			}
		}
	}
	if !says(root, "references") {
		for i := range d.References {
			d.References[i].Columns = renamed(d.References[i].Columns, now)
		}
	}
	if !says(root, "units") {
		for i := range d.Units {
			u := &d.Units[i]
			u.Unit, u.Parent, u.Payout = renamed(u.Unit, now), renamed(u.Parent, now), renamed(u.Payout, now)
		}
	}
}

// says tells whether the text of a profile has a key.
func says(root *yaml.Node, key string) bool {
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return true
		}
	}
	return false
}

// renamed puts the new headings where the old ones stand.
func renamed(list columnList, now map[Column]columnList) columnList {
	var out columnList
	for _, column := range list {
		headings, changed := now[column]
		if !changed {
			headings = columnList{column}
		}
		for _, heading := range headings {
			if !slices.Contains(out, heading) {
				out = append(out, heading)
			}
		}
	}
	return out
}
