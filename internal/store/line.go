package store

import (
	"crypto/sha256"
	"encoding/binary"

	"desfecho/internal/payment"
)

// NumberedLine is a line with what tells it from others (RULES §3.2). Numbers
// makes them.
type NumberedLine struct {
	payment.Line
	Identity [16]byte // of the line's id, else of account, day, kind, amount, currency, unit, n/N and occurrence
	Content  int64    // of all that the provider said; 0 where ids are not unique
	Facts    int64    // of what makes a restatement
}

// Numbers makes the lines of one file, or of one reading of a statement, into
// what can be stored. It counts how often each line without an id of its own
// occurs, so one Numbers serves all pages of a file, in order, and no other.
type Numbers struct {
	unique bool
	seen   map[[16]byte]int
}

// NewNumbers starts a file or reading. unique says that the adapter's line ids
// are unique; a line without id is then told by its contents all the same.
func NewNumbers(unique bool) *Numbers {
	return &Numbers{unique: unique, seen: map[[16]byte]int{}}
}

// Lines numbers the next lines of the file.
func (n *Numbers) Lines(lines []payment.Line) []NumberedLine {
	out := make([]NumberedLine, len(lines))
	var d digest
	for i := range lines {
		l := &lines[i]
		out[i].Line = *l
		if n.unique && l.ID != "" {
			out[i].Identity = d.identified(l)
			out[i].Facts = d.facts(l)
			out[i].Content = d.content(l)
			continue
		}
		identity := d.occurrence(l, 0)
		n.seen[identity]++
		out[i].Identity = identity
		if nth := n.seen[identity]; nth > 1 {
			out[i].Identity = d.occurrence(l, nth)
		}
	}
	return out
}

// Known is what a store holds of a page's lines: it tells what is new of them
// and what became of the others (RULES §3.2).
type Known struct {
	first    map[[16]byte]int64 // the facts of the first version
	versions map[version]struct{}
}

type version struct {
	identity [16]byte
	content  int64
}

// NewKnown holds nothing.
func NewKnown() *Known {
	return &Known{first: map[[16]byte]int64{}, versions: map[version]struct{}{}}
}

// Add enters a stored version; those of one line in the order of storing.
func (k *Known) Add(identity [16]byte, content, facts int64) {
	k.versions[version{identity, content}] = struct{}{}
	if _, there := k.first[identity]; !there {
		k.first[identity] = facts
	}
}

// Take counts the line, and tells whether it must be stored; then it is known
// from here on.
func (k *Known) Take(l *NumberedLine, counts *Counts) bool {
	if _, there := k.versions[version{l.Identity, l.Content}]; there {
		counts.Repeated++
		return false
	}
	switch facts, there := k.first[l.Identity]; {
	case !there:
		counts.New++
	case facts == l.Facts:
		counts.Later++
	default:
		counts.Restated++
	}
	k.Add(l.Identity, l.Content, l.Facts)
	return true
}

// digest builds the bytes that identities are hashes of. What is hashed is
// stored in databases: an order or field changed here makes every stored line
// new.
type digest struct{ buffer []byte }

func (d *digest) text(values ...string) {
	for _, v := range values {
		d.buffer = binary.AppendUvarint(d.buffer, uint64(len(v)))
		d.buffer = append(d.buffer, v...)
	}
}

func (d *digest) number(values ...int64) {
	for _, v := range values {
		d.buffer = binary.AppendVarint(d.buffer, v)
	}
}

func (d *digest) flag(v bool) {
	if v {
		d.number(1)
		return
	}
	d.number(0)
}

func (d *digest) account(kind string, l *payment.Line) {
	d.buffer = d.buffer[:0]
	d.text(kind, l.Provider, l.Account, l.Mode.String())
}

func (d *digest) identified(l *payment.Line) [16]byte {
	d.account("id", l)
	d.text(l.ID)
	return d.sum()
}

func (d *digest) occurrence(l *payment.Line, nth int) [16]byte {
	d.account("row", l)
	d.text(l.Day.String(), l.Kind.String(), l.Currency.String(), l.Unit)
	d.number(l.Gross, int64(l.N), int64(l.Of), int64(nth))
	return d.sum()
}

// facts hashes kind, unit, references, gross, fee, net, currency and occurred
// at: another value of one of them is a restatement.
func (d *digest) facts(l *payment.Line) int64 {
	d.buffer = d.buffer[:0]
	d.text(l.Kind.String(), l.Unit, l.Currency.String())
	d.number(l.Gross, l.Fee, l.Net, int64(l.At), int64(len(l.References)))
	for _, r := range l.References {
		d.text(r.Name, r.Scope.String(), r.Value)
	}
	return d.short()
}

// content hashes all that the provider said. It follows facts, whose bytes are
// still in the buffer.
func (d *digest) content(l *payment.Line) int64 {
	d.text(l.Parent, l.ForeignCharge, l.Payout, l.Recipient, l.Raw, l.Status, l.PresentedCurrency.String(), l.Day.String())
	d.number(l.Tax, l.Presented.Minor, int64(l.AvailableAt), int64(l.N), int64(l.Of))
	d.flag(l.Presented.Known)
	d.flag(l.Still)
	return d.short()
}

func (d *digest) sum() [16]byte {
	sum := sha256.Sum256(d.buffer)
	return [16]byte(sum[:16])
}

func (d *digest) short() int64 {
	sum := sha256.Sum256(d.buffer)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
