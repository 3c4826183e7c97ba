package reconcile

import "desfecho/internal/money"

// roll is equation 4 per bridge: in transit today = yesterday + newly
// succeeded − matched − ended ± restated, in minor units.
func (r *Result) roll(in *Input) {
	type one struct {
		provider string
		currency money.Currency
	}
	rolls := map[one]*Roll{}
	of := func(t Transit) *Roll {
		k := one{t.Provider, t.Amount.Currency}
		if rolls[k] == nil {
			rolls[k] = &Roll{}
		}
		return rolls[k]
	}
	before := map[string]Transit{}
	if in.Previous != nil {
		for _, t := range in.Previous.Transit {
			before[t.Attempt] = t
			of(t).Yesterday += t.Amount.Minor
		}
	}
	for _, t := range r.Transit {
		of(t).Today += t.Amount.Minor
		old, known := before[t.Attempt]
		delete(before, t.Attempt)
		if known {
			of(t).Restated += t.Amount.Minor - old.Amount.Minor
		} else {
			of(t).NewlySucceeded += t.Amount.Minor
		}
	}
	ended := map[string]bool{}
	for i := range r.Divergences {
		if d := &r.Divergences[i]; d.Class == MissingAtProvider || d.Class == DeclinedAtProvider {
			ended[d.Subject.IDs[0]] = true
		}
	}
	for id, t := range before {
		if ended[id] {
			of(t).Ended += t.Amount.Minor
		} else {
			of(t).Matched += t.Amount.Minor
		}
	}
	for i := range r.Bridges {
		b := &r.Bridges[i]
		k := one{b.Provider, b.Currency}
		if roll := rolls[k]; roll != nil {
			b.Roll = *roll
			delete(rolls, k) // several accounts share one provider: told once
		}
	}
}
