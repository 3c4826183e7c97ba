package cases

import (
	"fmt"
	"maps"
	"slices"

	"desfecho/internal/payment"
)

// check finds what each field alone cannot show: names that point nowhere,
// rows that lack a part, intervals that end before they begin.
func (c *Case) check() error {
	if _, err := c.policy(); err != nil {
		return err
	}
	for _, rows := range [][]attemptRow{c.Attempts, c.Replica} {
		for i := range rows {
			if err := rows[i].check(); err != nil {
				return err
			}
		}
	}
	for _, check := range []func() error{c.checkIntervals, c.checkUnits, c.checkLookups, c.checkNames, c.checkSteps} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (a *attemptRow) check() error {
	switch {
	case a.ID == "":
		return fmt.Errorf("attempt without id")
	case a.Charge == "", a.Status == "", a.Amount == nil, a.CreatedAt.IsZero():
		return fmt.Errorf("attempt %s: charge, status, amount and created_at are wanted", a.ID)
	case *a.Amount < 0:
		return fmt.Errorf("attempt %s: amount %d: amounts of attempts are unsigned", a.ID, *a.Amount)
	}
	return nil
}

func (c *Case) checkIntervals() error {
	spans := map[string]payment.Interval{}
	if c.Window != nil {
		spans["window"] = c.Window.interval()
	}
	if c.OwnSide != nil {
		spans["own_side"] = payment.Interval(*c.OwnSide)
	}
	for i, s := range c.Statements {
		spans[fmt.Sprintf("statements[%d]", i)] = payment.Interval{From: s.From, To: s.CompleteThrough}
		for j, hole := range s.Holes {
			spans[fmt.Sprintf("statements[%d].holes[%d]", i, j)] = hole.interval()
		}
	}
	for i, s := range c.Steps {
		if s.Window != nil {
			spans[fmt.Sprintf("steps[%d].window", i)] = s.Window.interval()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spans)) {
		if spans[name].To < spans[name].From {
			return fmt.Errorf("%s: %s ends before it begins", name, spans[name])
		}
	}
	return nil
}

func (c *Case) checkUnits() error {
	names := map[string]bool{}
	for i := range c.Statements {
		s := &c.Statements[i]
		if name := s.name(); names[name] {
			return fmt.Errorf("statements[%d]: a second statement named %q", i, name)
		}
		names[s.name()] = true
		if s.Sort == payment.Ledger.String() && len(s.Units) > 0 || s.Sort == payment.ObjectList.String() && len(s.Lines) > 0 {
			return fmt.Errorf("statement %s: objects list units, a ledger lists lines", s.name())
		}
		for _, id := range s.Units {
			if len(c.entriesOf(id)) == 0 {
				return fmt.Errorf("statement %s lists unit %q, which the case does not hold", s.name(), id)
			}
		}
	}
	return nil
}

func (c *Case) checkLookups() error {
	for i, row := range c.Lookups {
		if _, err := c.lookupKey(row.by()); err != nil {
			return fmt.Errorf("lookups[%d].by: %w", i, err)
		}
		for _, id := range row.Units {
			if !c.mentions(id) {
				return fmt.Errorf("lookups[%d] found unit %q, which the case does not hold", i, id)
			}
		}
	}
	if c.Policy.Controls != nil {
		for _, word := range *c.Policy.Controls {
			if _, err := c.lookupKey(word); err != nil {
				return fmt.Errorf("policy.controls: %w", err)
			}
		}
	}
	return nil
}

// checkNames finds evidence and expectations about attempts that do not exist.
func (c *Case) checkNames() error {
	named := map[string]string{}
	note := func(where, attempt string) {
		if attempt != "" {
			named[attempt] = where
		}
	}
	for i, row := range c.Lookups {
		note(fmt.Sprintf("lookups[%d]", i), row.Attempt)
	}
	for i, row := range c.Manual {
		note(fmt.Sprintf("manual[%d]", i), row.Attempt)
	}
	for i, row := range c.Approvals {
		note(fmt.Sprintf("approvals[%d]", i), row.Attempt)
	}
	for i, row := range c.Dismissed {
		note(fmt.Sprintf("dismissed[%d]", i), row.Attempt)
	}
	for i, s := range c.Steps {
		note(fmt.Sprintf("steps[%d]", i), s.Attempt)
	}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		if !slices.ContainsFunc(c.Attempts, func(a attemptRow) bool { return a.ID == id }) {
			return fmt.Errorf("%s names attempt %q, which the case does not hold", named[id], id)
		}
	}
	return nil
}

func (c *Case) checkSteps() error {
	last := payment.Instant(0)
	for i, s := range c.Steps {
		missing := ""
		switch {
		case s.Do != "run" && s.Attempt == "":
			missing = "attempt"
		case s.Do == "app" && s.Set == nil:
			missing = "set"
		case (s.Do == "confirm" || s.Do == "approve") && s.Mark == "":
			missing = "mark"
		case s.Do == "dismiss" && s.Unit == "":
			missing = "unit"
		}
		if missing != "" {
			return fmt.Errorf("steps[%d]: %s without %s", i, s.Do, missing)
		}
		if s.At < last || s.At > c.Now {
			return fmt.Errorf("steps[%d]: at %s: steps stand in order and before now", i, s.At)
		}
		last = s.At
	}
	return nil
}
