// Package audit is the chain of what desfecho wrote and what people decided:
// each entry's hash covers the one before it, over bytes that do not depend on
// a database or a library (RULES §7).
//
// It computes and verifies; it stores nothing and reads no clock. A chain
// proves order and integrity only against those who do not hold the whole
// table: compare its head with one that was kept elsewhere.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"desfecho/internal/payment"
)

// Kind is what an entry records.
type Kind string

// Settled: one attempt was given an outcome, in the transaction of the entry.
// Abandoned: an operation whose outcome was not known was claimed, so that it
// can never be written any more; it wrote nothing. The others are decisions of
// people that a later settlement rests on.
const (
	Settled   Kind = "settled"
	Abandoned Kind = "abandoned"
	Evidence  Kind = "evidence"
	Approved  Kind = "approved"
	Dismissed Kind = "dismissed"
)

// Format is the version of the canonical bytes. A program that does not know
// an entry's format refuses to verify it.
const Format = 1

// Entry is one row of the audit. Amount is in minor units of Currency. Login is
// who the database says it was, Operator who the person said to be.
type Entry struct {
	Seq        int64 // place in the chain, from 1 without gaps
	Format     int
	OpID       string // of the operation, unique
	Kind       Kind
	At         payment.Instant // database clock
	Attempt    string
	Provider   string
	Account    string
	Mark       string
	Transition string
	Unit       string
	Amount     int64
	Currency   string
	Before     string // status and provider id that the write found
	After      string // and what it left
	Digest     string // of the verdict that was confirmed
	Evidence   string // hashes of the observations it rests on, joined by commas
	Reason     string
	Operator   string
	Login      string
	Program    string
	PrevHash   string // Hash of the entry before, "" for the first
	Hash       string // hex SHA-256 of Canonical
}

// Canonical is what Hash covers: every field but Hash itself, each as its
// length in bytes, a colon and its bytes, so that no two entries share it.
func (e *Entry) Canonical() []byte {
	var b strings.Builder
	for _, field := range []string{
		strconv.Itoa(e.Format), strconv.FormatInt(e.Seq, 10), e.OpID, string(e.Kind), strconv.FormatInt(int64(e.At), 10),
		e.Attempt, e.Provider, e.Account, e.Mark, e.Transition, e.Unit, strconv.FormatInt(e.Amount, 10), e.Currency,
		e.Before, e.After, e.Digest, e.Evidence, e.Reason, e.Operator, e.Login, e.Program, e.PrevHash,
	} {
		b.WriteString(strconv.Itoa(len(field)))
		b.WriteByte(':')
		b.WriteString(field)
	}
	return []byte(b.String())
}

// Sum is the hash that the entry must have.
func (e *Entry) Sum() string {
	sum := sha256.Sum256(e.Canonical())
	return hex.EncodeToString(sum[:])
}

// Head is the end of a chain: how many entries it has and the last one's hash.
// It is printed by every run so that it can be kept elsewhere.
type Head struct {
	Count int64
	Hash  string
}

// String is "COUNT:HASH", "0:" for an empty chain.
func (h Head) String() string { return strconv.FormatInt(h.Count, 10) + ":" + h.Hash }

// ParseHead reads what String writes.
func ParseHead(text string) (Head, error) {
	count, hash, ok := strings.Cut(text, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	raw, decode := hex.DecodeString(hash)
	if !ok || err != nil || decode != nil || n < 0 || n > 0 && len(raw) != sha256.Size || n == 0 && hash != "" {
		return Head{}, fmt.Errorf("%q is no head of an audit: it is the number of entries, a colon and 64 hexadecimal digits", text)
	}
	return Head{Count: n, Hash: hash}, nil
}

// BrokenError names the first entry of a chain that does not hold.
type BrokenError struct {
	Seq     int64
	Problem string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("audit entry %d: %s", e.Seq, e.Problem)
}

// Verifier checks a chain entry by entry, in order of Seq.
type Verifier struct {
	head    Head
	against Head // zero: none
	met     bool
}

// NewVerifier checks a chain, and that it still holds the head that was kept
// elsewhere; the zero Head asks for none.
func NewVerifier(against Head) *Verifier { return &Verifier{against: against, met: against.Count == 0} }

// Add takes the next entry. The error is a *BrokenError.
func (v *Verifier) Add(e *Entry) error {
	want := v.head.Count + 1
	switch {
	case e.Format != Format:
		return &BrokenError{e.Seq, fmt.Sprintf("has format %d, this program knows format %d: verify it with a newer one", e.Format, Format)}
	case e.Seq != want:
		return &BrokenError{want, fmt.Sprintf("is missing: the next one is %d", e.Seq)}
	case e.PrevHash != v.head.Hash:
		return &BrokenError{e.Seq, "does not follow the entry before it: one of the two was changed, inserted or removed"}
	case e.Hash != e.Sum():
		return &BrokenError{e.Seq, "was changed: its hash is not that of its content"}
	}
	v.head = Head{e.Seq, e.Hash}
	if v.head.Count == v.against.Count {
		if v.head.Hash != v.against.Hash {
			return &BrokenError{e.Seq, "is not the one whose hash was kept elsewhere: the chain was rewritten"}
		}
		v.met = true
	}
	return nil
}

// End gives the head of the chain. The error is a *BrokenError where the chain
// is shorter than the head kept elsewhere.
func (v *Verifier) End() (Head, error) {
	if !v.met {
		return v.head, &BrokenError{v.head.Count + 1, fmt.Sprintf("is missing: %d entries were there when the head was kept", v.against.Count)}
	}
	return v.head, nil
}
