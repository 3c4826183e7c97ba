package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// nullable is a text that may be null, which says "none" and is not the same
// as saying nothing.
type nullable struct {
	Given bool
	Value string
}

func (n *nullable) UnmarshalJSON(raw []byte) error {
	n.Given = true
	if string(raw) == "null" {
		return nil
	}
	return json.Unmarshal(raw, &n.Value)
}

// span is the half-open interval [from, to).
type span [2]payment.Instant

func (s span) interval() payment.Interval { return payment.Interval{From: s[0], To: s[1]} }

// duration is an ISO 8601 duration of days, hours, minutes and seconds.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	form := regexp.MustCompile(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$`)
	part := form.FindStringSubmatch(string(text))
	last := text[max(0, len(text)-1):]
	if part == nil || len(text) < 3 || string(last) == "T" {
		return fmt.Errorf("duration %q: want ISO 8601 such as PT24H, P1D or PT0S", text)
	}
	var total time.Duration
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if part[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(part[i+1], 10, 32)
		if err != nil {
			return fmt.Errorf("duration %q: %w", text, err)
		}
		total += time.Duration(n) * unit
	}
	if part[6] != "" {
		micro, err := strconv.ParseInt((part[6] + "00000")[:6], 10, 64)
		if err != nil {
			return fmt.Errorf("duration %q: %w", text, err)
		}
		total += time.Duration(micro) * time.Microsecond
	}
	*d = duration(total)
	return nil
}

func (d *duration) duration() time.Duration { return time.Duration(*d) }

// parcel is [n, due day, amount].
type parcel payment.Parcel

func (p *parcel) UnmarshalJSON(raw []byte) error {
	var cells []json.RawMessage
	if err := json.Unmarshal(raw, &cells); err != nil || len(cells) != 3 {
		return fmt.Errorf("plan entry %s: want [n, due day, amount]", raw)
	}
	return errors.Join(json.Unmarshal(cells[0], &p.N), json.Unmarshal(cells[1], &p.Due), json.Unmarshal(cells[2], &p.Minor))
}

// means is one word for every operation, or a map by operation.
type means struct {
	all string
	by  map[string]string
}

func (m *means) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &m.all) != nil {
		if err := json.Unmarshal(raw, &m.by); err != nil {
			return fmt.Errorf("succeeded_means %s: want a word or a map by operation", raw)
		}
	}
	if m.all != "" {
		return known("means", m.all)
	}
	for operation, word := range m.by {
		if err := errors.Join(known("operation", operation), known("means", word)); err != nil {
			return fmt.Errorf("succeeded_means: %w", err)
		}
	}
	return nil
}

// byOperation says what `succeeded` means for each operation; captured where
// the case says nothing.
func (m means) byOperation() map[payment.Operation]reconcile.Means {
	all := map[payment.Operation]reconcile.Means{}
	for operation := payment.Charge; operation <= payment.BillPayment; operation++ {
		word := m.all
		if m.by != nil {
			word = m.by[operation.String()]
		}
		all[operation] = reconcile.MeansCaptured
		if said, err := reconcile.ParseMeans(word); err == nil {
			all[operation] = said
		}
	}
	return all
}

// booksAfter is one duration for every method, or a map by method.
type booksAfter struct {
	all time.Duration
	by  map[string]time.Duration
}

func (b *booksAfter) UnmarshalJSON(raw []byte) error {
	var one duration
	if json.Unmarshal(raw, &one) == nil {
		b.all = time.Duration(one)
		return nil
	}
	var by map[string]duration
	if err := json.Unmarshal(raw, &by); err != nil {
		return fmt.Errorf("books_after %s: want a duration or a map by method: %w", raw, err)
	}
	b.by = map[string]time.Duration{}
	for _, method := range slices.Sorted(maps.Keys(by)) {
		b.by[method] = time.Duration(by[method])
	}
	return nil
}

// texts is one text or a list of them.
type texts []string

func (t *texts) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = texts{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("%s: want a text or a list of texts", raw)
	}
	*t = list
	return nil
}

// scalar is a number or a text, kept as it is written.
type scalar struct {
	Given bool
	Value string
}

func (s *scalar) UnmarshalJSON(raw []byte) error {
	s.Given = true
	if json.Unmarshal(raw, &s.Value) == nil && string(raw) != "null" {
		return nil
	}
	var number int64
	if err := json.Unmarshal(raw, &number); err != nil || string(raw) == "null" {
		return fmt.Errorf("%s: want a whole number or a text", raw)
	}
	s.Value = strconv.FormatInt(number, 10)
	return nil
}
