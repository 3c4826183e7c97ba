package profile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// compiler turns a document into a Profile and remembers the first mistake.
type compiler struct {
	file string
	root *yaml.Node // to find the line of a mistake
	err  error
}

// compile checks every word of the document.
func compile(file string, root *yaml.Node, d *document) (*Profile, error) {
	c := &compiler{file: file, root: root}
	p := &Profile{
		Name: d.Profile, Title: d.Title, Kind: d.Kind, Origin: file, Hint: d.Hint,
		Provider: d.Provider, Account: d.Account, Records: d.Records, Pages: PageKeys(d.Pages), Encoding: d.Text.Encoding,
		Delimiter: c.delimiter(d.Text.Delimiter), Unless: d.Unless, Ignore: d.Ignore,
		ManyAccounts: c.choice("accounts", d.Accounts, "one", "many") == "many",
		RefuseOthers: c.choice("other_columns", d.OtherColumns, "ignore", "refuse") == "refuse",
		Variation:    d.Variation, BooksAfter: c.duration(d.BooksAfter, "books_after"),
	}
	if d.Profile == "" {
		c.fail("a profile needs a name", "add `profile: NAME`", "profile")
	}
	if kinds := []string{KindStatement, KindAttempts}; !slices.Contains(kinds, d.Kind) {
		c.fail(fmt.Sprintf("unknown kind %q", d.Kind), suggestion(d.Kind, kinds), "kind")
	}
	p.BooksAfterBy = map[string]time.Duration{}
	for method, text := range d.BooksAfterBy {
		p.BooksAfterBy[method] = c.duration(text, "books_after_by", method)
	}
	c.columns(p, d)
	c.style(p, d)
	if d.Kind == KindAttempts {
		c.attempts(p, d)
	} else {
		c.statement(p, d)
	}
	p.needs = needsOf(p)
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

// fail keeps the first mistake, with the line of the deepest key of path that
// the file has.
func (c *compiler) fail(problem, hint string, path ...string) {
	if c.err != nil {
		return
	}
	heading := ""
	if len(path) > 0 {
		heading = path[len(path)-1]
	}
	c.err = &tabular.Error{File: c.file, Line: lineOf(c.root, path), Heading: heading, Problem: problem, Hint: hint}
}

// lineOf walks down the keys of path as far as they are there.
func lineOf(node *yaml.Node, path []string) int {
	if node == nil {
		return 0
	}
	line := node.Line
	for _, key := range path {
		found := false
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				line, node, found = node.Content[i].Line, node.Content[i+1], true
				break
			}
		}
		if !found {
			break
		}
	}
	return line
}

// unknown is fail for a word that is none of ours; its error lists them.
func (c *compiler) unknown(err error, key, word string, path ...string) {
	hint := "see `desfecho help profiles` for our words; the file's own stand behind them, in brackets"
	if best := nearest(word, ourWords(key)); best != "" {
		hint = fmt.Sprintf("did you mean %s?", best)
	}
	c.fail(err.Error(), hint, path...)
}

func (c *compiler) choice(key, word string, allowed ...string) string {
	if word == "" {
		return allowed[0]
	}
	if !slices.Contains(allowed, word) {
		allowed = slices.DeleteFunc(allowed, func(w string) bool { return w == "" })
		c.fail(fmt.Sprintf("unknown word %q", word), suggestion(word, allowed), key)
	}
	return word
}

func (c *compiler) duration(text string, path ...string) time.Duration {
	d, err := parseDuration(text)
	if err != nil {
		c.fail(err.Error(), "", path...)
	}
	return d
}

func (c *compiler) delimiter(text string) rune {
	switch text {
	case "":
		return 0
	case "tab", "\t":
		return '\t'
	}
	runes := []rune(text)
	if len(runes) != 1 || strings.ContainsRune("\"\r\n\x00", runes[0]) {
		c.fail(fmt.Sprintf("delimiter %q is not one character", text), "want , ; | or tab", "text", "delimiter")
	}
	return runes[0]
}

func (c *compiler) statement(p *Profile, d *document) {
	s := &p.Statement
	if c.choice("sort", d.Sort, "ledger", "objects") == "objects" {
		s.Sort = payment.ObjectList
	}
	s.LineIDsUnique = c.choice("line_ids", d.LineIDs, "unique", "none") == "unique"
	switch c.choice("payout_members", d.PayoutMembers, "none", "some", "all") {
	case "none":
		s.Members = payment.NoMembers
	case "some":
		s.Members = payment.SomeMembers
	}
	s.PublishLag = 24 * time.Hour
	if d.PublishLag != "" {
		s.PublishLag = c.duration(d.PublishLag, "publish_lag")
	}
	s.Kinds = parsedKeys(c, "kinds", d.Kinds, payment.ParseKind)
	s.States = parsedKeys(c, "states", d.States, payment.ParseState)
	s.SignWins, s.Information, s.Opening, s.Closing = d.SignWins, d.Information, d.Opening, d.Closing
	s.Still, s.Moved, s.Expected = d.Still, d.Moved, d.Expected
	if len(d.SucceededMeans)+len(d.Status)+len(d.Operations)+len(d.Reserves) > 0 {
		c.fail("succeeded_means, status, operations and reserves belong to `kind: attempts`", "move them to a profile of our own side", "kind")
	}
}

func (c *compiler) attempts(p *Profile, d *document) {
	a := &p.Attempts
	a.Status = parsedKeys(c, "status", d.Status, payment.ParseStatus)
	a.Operations = parsedKeys(c, "operations", d.Operations, payment.ParseOperation)
	a.Reserves = parsedKeys(c, "reserves", d.Reserves, payment.ParseReserve)
	a.NoUnknownWord = len(a.Status[payment.Unknown]) == 0
	a.SucceededMeans = map[payment.Operation]string{}
	for word, means := range d.SucceededMeans {
		operation, err := payment.ParseOperation(word)
		if err != nil {
			c.unknown(err, "operations", word, "succeeded_means", word)
		}
		if words := []string{"created", "authorized", "captured"}; !slices.Contains(words, means) {
			c.fail(fmt.Sprintf("unknown succeeded_means %q", means), suggestion(means, words), "succeeded_means", word)
		}
		a.SucceededMeans[operation] = means
	}
	if len(a.Status) == 0 {
		c.fail("a profile of attempts needs a status map", "add `status: {pending: [...], unknown: [...], succeeded: [...], failed: [...]}`", "status")
	}
	if len(d.Kinds)+len(d.States)+len(d.Units) > 0 || d.Sort != "" {
		c.fail("kinds, states, units and sort belong to `kind: statement`", "move them to a profile of the provider's side", "kind")
	}
}

// parsedKeys reads a map from one of our words to words of the file, and
// refuses a word that stands under two of ours.
func parsedKeys[K comparable](c *compiler, key string, words map[string][]string, parse func(string) (K, error)) map[K][]string {
	out := map[K][]string{}
	owner := map[string]string{}
	ours := make([]string, 0, len(words))
	for our := range words {
		ours = append(ours, our)
	}
	slices.Sort(ours)
	for _, our := range ours {
		k, err := parse(our)
		if err != nil || our == "" {
			c.unknown(err, key, our, key, our)
			continue
		}
		for _, word := range words[our] {
			folded := foldWord(word)
			if other, twice := owner[folded]; twice && other != our {
				c.fail(fmt.Sprintf("the word %q stands under %s and under %s", word, other, our), "keep it under one of them", key, our)
			}
			owner[folded] = our
		}
		out[k] = words[our]
	}
	return out
}

// foldWord makes words of a file comparable; "*" stays itself.
func foldWord(word string) string {
	if word == "*" {
		return word
	}
	return tabular.Fold(word)
}

func (c *compiler) style(p *Profile, d *document) {
	a := &p.Amounts
	a.Minor = c.choice("amounts", d.Amounts.Unit, "major", "minor") == "minor"
	if mark := c.choice("amounts", d.Amounts.Mark, "", ".", ","); mark != "" {
		a.Mark = mark[0]
	}
	if d.Amounts.Currency != "" {
		currency, err := money.ParseCurrency(d.Amounts.Currency)
		if err != nil {
			c.fail(err.Error(), "want an ISO 4217 code such as BRL", "amounts", "currency")
		}
		a.Currency = currency.String()
	}
	a.DebitWords, a.CreditWords = d.Amounts.Debit, d.Amounts.Credit
	a.FeesNegative = c.choice("amounts", d.Amounts.Fees, "positive", "negative") == "negative"
	a.Exponents = d.Amounts.Exponents
	for code, exponent := range d.Amounts.Exponents {
		if _, err := money.ParseCurrency(code); err != nil || exponent < 0 || exponent > 6 || !a.Minor {
			c.fail(fmt.Sprintf("exponent %s: %d", code, exponent), "exponents are ISO codes with 0 to 6 decimals, and only for `unit: minor`", "amounts", "exponents", code)
		}
	}
	c.dates(p, d)
}
