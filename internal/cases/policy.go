package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // cases name zones; they must not depend on the machine's files

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

const provider = "psp"

// The two references that every case has configured.
const (
	refName    = "ref"
	chargeName = "charge"
)

type policyRow struct {
	SucceededMeans         means            `json:"succeeded_means"`
	LookupBy               *[]string        `json:"lookup_by"`
	Controls               *[]string        `json:"controls"`
	VisibleAfter           *duration        `json:"visible_after"`
	PublishLag             *duration        `json:"publish_lag"`
	BooksAfter             booksAfter       `json:"books_after"`
	Zone                   string           `json:"zone"`
	Mode                   string           `json:"mode" words:"mode"`
	Accounts               []string         `json:"accounts"`
	LineIDsUnique          *bool            `json:"line_ids_unique"`
	Words                  *[]string        `json:"words" words:"status"`
	ChargeCapacity         string           `json:"charge_capacity" words:"capacity"`
	Variation              map[string]int64 `json:"variation"`
	ExpectedWithoutAttempt []string         `json:"expected_without_attempt"`
	References             []referenceRow   `json:"references"`

	// Settings of RULES §8 by their names. The last four belong to approval,
	// to relook and to asking, which Match does not do.
	OrphanAfter     *duration   `json:"orphan_after"`
	RecheckGap      *duration   `json:"recheck_gap"`
	Skew            *duration   `json:"skew"`
	EvidenceMaxAge  *duration   `json:"evidence_max_age"`
	LookAlikeWindow *duration   `json:"look_alike_window"`
	OpenLimit       *duration   `json:"open_limit"`
	ReviewAfter     *duration   `json:"review_after"`
	Relook          *duration   `json:"relook"`
	ApprovalTTL     *duration   `json:"approval_ttl"`
	ApprovalAbove   *int64      `json:"approval_above"`
	RateShare       json.Number `json:"rate_share"`
}

type referenceRow struct {
	Name  string `json:"name" case:"required"`
	Scope string `json:"scope" case:"required" words:"scope"`
}

// policy is the one provider of the case, with the defaults of RULES §8.
func (c *Case) policy() (reconcile.Policy, error) {
	row := &c.Policy
	p := reconcile.NewPolicy(provider)
	p.Accounts = c.accounts()
	p.SucceededMeans = row.SucceededMeans.byOperation()
	p.HasObjectList = slices.ContainsFunc(c.Statements, func(s statementRow) bool {
		return s.Sort == payment.ObjectList.String()
	})
	p.CapacityMany = row.ChargeCapacity == "many"
	p.Variation = row.Variation
	p.Expected = row.ExpectedWithoutAttempt
	if row.LineIDsUnique != nil {
		p.LineIDsUnique = *row.LineIDsUnique
	}
	if row.Words != nil {
		p.NoUnknownWord = !slices.Contains(*row.Words, payment.Unknown.String())
	}
	c.horizons(&p)
	var err error
	if p.Mode, err = c.mode(""); err != nil {
		return p, err
	}
	if row.Zone != "" {
		if p.Zone, err = time.LoadLocation(row.Zone); err != nil {
			return p, fmt.Errorf("policy.zone: %w", err)
		}
	}
	for _, word := range c.lookupBy() {
		key, err := c.lookupKey(word)
		if err != nil {
			return p, fmt.Errorf("policy.lookup_by: %w", err)
		}
		p.LookupBy = append(p.LookupBy, key)
	}
	return p, nil
}

// horizons sets every duration that the case states.
func (c *Case) horizons(p *reconcile.Policy) {
	row := &c.Policy
	for _, setting := range []struct {
		said *duration
		to   *time.Duration
	}{
		{row.VisibleAfter, &p.VisibleAfter},
		{row.PublishLag, &p.PublishLag},
		{row.OrphanAfter, &p.OrphanAfter},
		{row.RecheckGap, &p.RecheckGap},
		{row.Skew, &p.Skew},
		{row.EvidenceMaxAge, &p.EvidenceMaxAge},
		{row.LookAlikeWindow, &p.LookAlikeWindow},
		{row.OpenLimit, &p.OpenLimit},
		{row.ReviewAfter, &p.ReviewAfter},
	} {
		if setting.said != nil {
			*setting.to = time.Duration(*setting.said)
		}
	}
	// After a 5xx the horizon is the provider's longest (RULES §6).
	p.VisibleAfter5xx = max(p.VisibleAfter5xx, p.VisibleAfter)
	p.BooksAfter, p.BooksAfterBy = row.BooksAfter.all, row.BooksAfter.by
}

// accounts lists the provider's accounts: the policy's, else the one that the
// facts name, else one without a name.
func (c *Case) accounts() []string {
	if len(c.Policy.Accounts) > 0 {
		return c.Policy.Accounts
	}
	named := []string{}
	for _, s := range c.Statements {
		if s.Account != "" && !slices.Contains(named, s.Account) {
			named = append(named, s.Account)
		}
	}
	if len(named) == 0 {
		return []string{""}
	}
	return named
}

// account is the one that a fact belongs to: what it says itself, else the
// provider's only one.
func (c *Case) account(said ...string) string {
	for _, name := range said {
		if name != "" {
			return name
		}
	}
	if accounts := c.accounts(); len(accounts) == 1 {
		return accounts[0]
	}
	return ""
}

// mode is what the fact says itself, else the policy's, else live.
func (c *Case) mode(said string) (payment.Mode, error) {
	for _, word := range []string{said, c.Policy.Mode} {
		if word != "" {
			return payment.ParseMode(word)
		}
	}
	return payment.Live, nil
}

func (c *Case) lookupBy() []string {
	if c.Policy.LookupBy == nil {
		return []string{refName}
	}
	return *c.Policy.LookupBy
}

// lookupKey turns the word of a key into the key without its value.
func (c *Case) lookupKey(word string) (payment.LookupKey, error) {
	switch word {
	case "unit":
		return payment.LookupKey{Kind: payment.KeyUnit}, nil
	case "key":
		return payment.LookupKey{Kind: payment.KeyIdempotency}, nil
	}
	if _, ok := c.scope(word); !ok {
		return payment.LookupKey{}, fmt.Errorf("unknown key %q: want unit, key or a configured reference", word)
	}
	return payment.LookupKey{Kind: payment.KeyReference, Name: word}, nil
}

// scope of a configured reference; ok is false where no such one is configured.
func (c *Case) scope(name string) (scope payment.Scope, ok bool) {
	switch name {
	case refName:
		return payment.ScopeAttempt, true
	case chargeName:
		return payment.ScopeCharge, true
	}
	for _, r := range c.Policy.References {
		if r.Name == name {
			if r.Scope == payment.ScopeCharge.String() {
				return payment.ScopeCharge, true
			}
			return payment.ScopeAttempt, true
		}
	}
	return payment.ScopeAttempt, false
}

// references gives the configured ones among the values found on a row.
func (c *Case) references(ref, ref2, charge string) []payment.Reference {
	var found []payment.Reference
	for _, r := range []struct{ name, value string }{{refName, ref}, {"ref2", ref2}, {chargeName, charge}} {
		if scope, ok := c.scope(r.name); ok && r.value != "" {
			found = append(found, payment.Reference{Name: r.name, Scope: scope, Value: r.value})
		}
	}
	return found
}
