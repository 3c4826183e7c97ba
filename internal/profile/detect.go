package profile

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"desfecho/internal/tabular"
)

// Detect finds the one built-in profile of the kind whose required headings
// are all there. Where none or several fit, the error lists what each lacks.
func Detect(header []string, kind string) (*Profile, error) {
	profiles, err := builtinsOf(kind)
	if err != nil {
		return nil, err
	}
	return detect(profiles, newHeadings(header), header)
}

// allBuiltins reads them once; nobody changes what it gives.
var allBuiltins = sync.OnceValues(func() ([]*Profile, error) {
	var profiles []*Profile
	for _, name := range Builtins() {
		p, err := loadBuiltin(name)
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
})

// builtinsOf are those of one kind, in a list of the caller's own.
func builtinsOf(kind string) ([]*Profile, error) {
	all, err := allBuiltins()
	if err != nil {
		return nil, err
	}
	var profiles []*Profile
	for _, p := range all {
		if p.Kind == kind {
			profiles = append(profiles, p)
		}
	}
	return profiles, nil
}

func detect(profiles []*Profile, there headings, header []string) (*Profile, error) {
	var fit []*Profile
	doubt := ""
	for _, p := range profiles {
		if len(p.lacks(there)) > 0 {
			continue
		}
		fit = append(fit, p)
		for _, heading := range p.Unless {
			if doubt == "" && there.has(heading) {
				doubt = heading
			}
		}
	}
	switch {
	case len(fit) == 1 && doubt == "":
		return fit[0], nil
	case len(fit) > 0:
		return nil, severalFit(fit, doubt)
	default:
		return nil, noneFits(profiles, there, header)
	}
}

func severalFit(fit []*Profile, doubt string) error {
	var names []string
	for _, p := range fit {
		names = append(names, profileFlag(p.Kind)+" "+p.Name+" ("+p.Title+")")
	}
	problem := "several built-in profiles fit this heading row"
	if doubt != "" {
		problem = fmt.Sprintf("the heading row has %q and may be of more than one report", doubt)
	}
	return &UsageError{Problem: problem, Advice: "say which it is: " + strings.Join(names, ", or ")}
}

func noneFits(profiles []*Profile, there headings, header []string) error {
	slices.SortStableFunc(profiles, func(a, b *Profile) int { return len(a.lacks(there)) - len(b.lacks(there)) })
	if p := profiles[0]; p.nearly(there) {
		return &UsageError{
			Problem: fmt.Sprintf("the headings are nearly those of the profile %s: no column %s; the file has %s",
				p.Name, strings.Join(p.lacks(there), ", no column "), strings.Join(shown(header), ", ")),
			Advice: p.Hint + "; or name a profile of your own with " + profileFlag(p.Kind) + " FILE",
		}
	}
	var lines []string
	for _, p := range profiles {
		lines = append(lines, p.Name+" lacks "+strings.Join(p.lacks(there), ", "))
	}
	return &UsageError{
		Problem: fmt.Sprintf("no built-in profile fits the headings %s: %s", strings.Join(shown(header), ", "), strings.Join(lines, "; ")),
		Advice:  "name a profile of your own with " + profileFlag(profiles[0].Kind) + " FILE",
	}
}

// nearly tells a heading row that cannot be anything else than this profile's,
// so that the missing column is what there is to say.
func (p *Profile) nearly(there headings) bool {
	all := len(p.Required)
	found := all - len(p.lacks(there))
	return found >= 3 && 3*found >= 2*all
}

// shown bounds what of a heading row stands in a message.
func shown(header []string) []string {
	const most = 24
	if len(header) > most {
		return append(slices.Clone(header[:most]), fmt.Sprintf("and %d more", len(header)-most))
	}
	return header
}

// need is one required group: the columns that fulfil it.
type need struct {
	shown    string // the headings that people know
	headings []string
}

// needsOf makes the required groups ready to compare.
func needsOf(p *Profile) []need {
	var needs []need
	for _, group := range p.Required {
		var n need
		var names []string
		for _, field := range group {
			columns := p.columnsOf(field)
			if len(columns) > 0 {
				names = append(names, columns[0].Heading)
			}
			for _, c := range columns {
				heading := c.Heading
				if !strings.Contains(heading, "*") {
					heading = tabular.Fold(heading)
				}
				n.headings = append(n.headings, heading)
			}
		}
		n.shown = strings.Join(names, " or ")
		needs = append(needs, n)
	}
	return needs
}

// lacks lists the required groups that no heading fulfils.
func (p *Profile) lacks(there headings) []string {
	var missing []string
	for _, n := range p.needs {
		if !n.met(there) {
			missing = append(missing, n.shown)
		}
	}
	return missing
}

// met tells whether one of the headings is there.
func (n *need) met(there headings) bool {
	return slices.ContainsFunc(n.headings, func(h string) bool { return there[h] || strings.Contains(h, "*") && there.has(h) })
}

// headings is a set of headings, folded.
type headings map[string]bool

func newHeadings(header []string) headings {
	set := headings{}
	for _, heading := range header {
		set[tabular.Fold(heading)] = true
	}
	return set
}

// has tells whether a heading is there; "payment_metadata[*]" is where any
// heading of that form is.
func (h headings) has(heading string) bool {
	before, after, wild := strings.Cut(heading, "*")
	if !wild {
		return h[tabular.Fold(heading)]
	}
	before, after = tabular.Fold(before), tabular.Fold(after)
	for there := range h {
		if len(there) > len(before)+len(after) && strings.HasPrefix(there, before) && strings.HasSuffix(there, after) {
			return true
		}
	}
	return false
}
