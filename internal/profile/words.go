package profile

import (
	"fmt"
	"slices"
	"strings"

	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// Words look the file's own words up. What was looked up once is remembered:
// a file has few words and many rows.
type Words[T any] struct {
	folded map[string]T
	any    *T // what "*" stands for
	seen   map[string]word[T]
}

type word[T any] struct {
	value T
	known bool
}

// maxSeen bounds what is remembered; a column with more words than this is no
// column of words.
const maxSeen = 4096

// NewWords makes a look-up from lists of words under our own.
func NewWords[T comparable](lists map[T][]string) *Words[T] {
	w := &Words[T]{folded: map[string]T{}, seen: map[string]word[T]{}}
	for value, list := range lists {
		for _, text := range list {
			if text == "*" {
				w.any = &value
				continue
			}
			w.folded[tabular.Fold(text)] = value
		}
	}
	return w
}

// Find gives what a word of the file stands for; ok is false for an unknown one.
func (w *Words[T]) Find(text string) (value T, ok bool) {
	if s, hit := w.seen[text]; hit {
		return s.value, s.known
	}
	value, ok = w.folded[tabular.Fold(text)]
	if !ok && w.any != nil {
		value, ok = *w.any, true
	}
	if len(w.seen) < maxSeen {
		w.seen[strings.Clone(text)] = word[T]{value, ok}
	}
	return value, ok
}

// ourWords are the words of RULES §1 under a key of a profile.
func ourWords(key string) []string {
	switch key {
	case "kinds":
		return upTo(payment.KindReserveRelease)
	case "states":
		return upTo(payment.StateDisputed) // unmapped is what stands in no list
	case "status":
		return upTo(payment.Failed)
	case "operations":
		return upTo(payment.BillPayment)
	case "reserves":
		return upTo(payment.ReserveConsumed)
	case "scope":
		return upTo(payment.ScopeCharge)
	}
	return nil
}

// upTo lists the words of a type whose values count from 0.
func upTo[T interface {
	~uint8
	fmt.Stringer
}](last T) []string {
	var words []string
	for value := T(0); value <= last; value++ {
		if word := value.String(); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Known lists the words, sorted, for messages.
func Known[T comparable](lists map[T][]string) []string {
	var words []string
	for _, list := range lists {
		words = append(words, list...)
	}
	slices.Sort(words)
	return words
}

// Prefixes tells texts that begin with one of some words.
type Prefixes []string

// NewPrefixes folds the words.
func NewPrefixes(words []string) Prefixes {
	var p Prefixes
	for _, w := range words {
		if folded := tabular.Fold(w); folded != "" {
			p = append(p, folded)
		}
	}
	return p
}

// Match tells whether the text begins with one of the words.
func (p Prefixes) Match(text string) bool {
	if len(p) == 0 || text == "" {
		return false
	}
	folded := tabular.Fold(text)
	return slices.ContainsFunc(p, func(w string) bool { return strings.HasPrefix(folded, w) })
}

// pairs are kinds that undo each other: what brings money, and what takes it.
var pairs = [...][2]payment.Kind{
	{payment.KindCharge, payment.KindChargeReversal},
	{payment.KindRefundReversal, payment.KindRefund},
	{payment.KindChargebackReversal, payment.KindChargeback},
	{payment.KindFeeReversal, payment.KindFee},
	{payment.KindPayoutReversal, payment.KindPayout},
}

// signed gives the kind that the sign of the amount makes of a kind: what
// takes money back is the reversal of what gave it, and the other way round.
func signed(kind payment.Kind, gross int64) payment.Kind {
	if kind == payment.KindTransferOut && gross > 0 {
		return payment.KindTransferReversal // whose own sign depends on what it undoes
	}
	for _, pair := range pairs {
		switch {
		case kind != pair[0] && kind != pair[1]:
		case gross > 0:
			return pair[0]
		case gross < 0:
			return pair[1]
		}
	}
	return kind
}

// Signed applies the profile's sign rule to a kind.
func (p *Profile) Signed(kind payment.Kind, gross int64) payment.Kind {
	if !p.Statement.SignWins {
		return kind
	}
	return signed(kind, gross)
}
