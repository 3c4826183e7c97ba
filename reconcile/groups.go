package reconcile

import (
	"cmp"
	"slices"

	"desfecho/internal/money"
)

// groupFrom is how many divergences of one cause are shown as one finding.
const groupFrom = 5

// groups shows many divergences of one class that share an attribute as one
// finding with count, money and one example (RULES §8: one finding per cause).
// The divergences themselves stay in the result.
func groups(divergences []Divergence) []Group {
	type cause struct {
		class     Class
		severity  Severity
		provider  string
		attribute string
	}
	members := map[cause][]int{}
	for i := range divergences {
		d := &divergences[i]
		k := cause{d.Class, d.Severity, d.Provider, cmp.Or(d.Reason, d.Raw, d.Hint, d.Reference)}
		if d.Class == CurrencyMismatch {
			k.attribute = d.Expected + "/" + d.Actual
		}
		members[k] = append(members[k], i)
	}
	var out []Group
	for k, list := range members {
		if len(list) < groupFrom {
			continue
		}
		g := Group{Class: k.class, Severity: k.severity, Provider: k.provider, Attribute: k.attribute, Count: len(list), Example: list[0], Members: list}
		for _, i := range list {
			if d := &divergences[i]; d.SameMoneyAs == nil {
				g.add(money.Amount{Minor: d.Amount, Currency: d.Currency})
			}
		}
		slices.SortFunc(g.Amounts, func(a, b money.Amount) int { return cmp.Compare(a.Currency.String(), b.Currency.String()) })
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Compare(a.Example, b.Example) })
	return out
}

func (g *Group) add(a money.Amount) {
	if a.Currency.IsZero() {
		return
	}
	for i := range g.Amounts {
		if g.Amounts[i].Currency == a.Currency {
			g.Amounts[i].Minor += a.Minor
			return
		}
	}
	g.Amounts = append(g.Amounts, a)
}
