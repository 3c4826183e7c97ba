package check

import (
	"context"
	"crypto/md5"  //nolint:gosec // to recognise a key that somebody made so
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"desfecho/internal/mask"
	"desfecho/internal/payment"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (l *look) keyFromOrder(ctx context.Context) verdict {
	c := &l.reading.Columns
	if v, lacking := l.needs(named{"the key", c.Key}); lacking {
		return v
	}
	s := l.newest(ctx)
	if s.err != nil {
		return because(s.err)
	}
	personal, derived, named := keyForms(s.attempts)
	switch {
	case personal.n > 0:
		return Fault.of(personal.n, personal.example, "keys%s that hold a CPF, a CNPJ, a card number or an e-mail address", s.among())
	case derived.n > 0:
		return Fault.of(derived.n, derived.example, "keys%s that are made from the charge's id", s.among())
	case named.n > 0:
		return Warning.of(named.n, named.example, "keys%s that are UUIDs of version 3 or 5: made from a name, which may be the order's", s.among())
	case c.Charge == "":
		return unseen("no personal data in %d keys, but no column holds the charge to compare with", len(s.attempts))
	}
	return good("%d keys looked at%s", len(s.attempts), s.among())
}

// keyForms sorts out the keys that are not random: those with personal data,
// those made from the charge's id, and UUIDs that are made from some name.
func keyForms(attempts []payment.Attempt) (personal, derived, fromName tally) {
	templates := map[string]string{} // to the first charge of it
	shared := map[string]bool{}
	seen := 0
	for i := range attempts {
		if a := &attempts[i]; a.Key != "" {
			seen++
			if t := template(a.Key, a.Charge); t != "" {
				if first, known := templates[t]; known && first != a.Charge {
					shared[t] = true
				} else if !known {
					templates[t] = a.Charge
				}
			}
		}
	}
	var digits, digitRuns tally
	for i := range attempts {
		a := &attempts[i]
		t := template(a.Key, a.Charge)
		switch {
		case a.Key == "":
		case a.Key == a.Charge, hashed(a.Key, a.Charge), t != "" && (shared[t] || seen < 20 && wordy(t)):
			derived.add(a.ID)
		case nameUUID.MatchString(a.Key):
			fromName.add(a.ID)
		}
		if masked := mask.Key(a.Key) != a.Key; masked && strings.ContainsAny(a.Key, "@.") {
			personal.add(a.ID)
		} else if masked {
			digits.add(a.ID)
		}
		if longDigits.MatchString(a.Key) {
			digitRuns.add(a.ID)
		}
	}
	// One in a hundred numbers of eleven digits has the check digits of a CPF.
	if digits.n*20 > digitRuns.n {
		if personal.n == 0 {
			personal.example = digits.example
		}
		personal.n += digits.n
	}
	return personal, derived, fromName
}

var (
	digitRun   = regexp.MustCompile(`[0-9]+`)
	longDigits = regexp.MustCompile(`[0-9]{11}`)
	wordRun    = regexp.MustCompile(`[0-9A-Za-z]+`)
	counter    = regexp.MustCompile(`\b[0-9]{1,3}\b`)
	nameUUID   = regexp.MustCompile(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[35][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$`)
)

// The places of the charge's id and of a counter in a template.
const (
	chargeHere  = "\x01"
	counterHere = "\x02"
)

// template is the key with the charge's id, and short numbers, taken out; ""
// where the key does not hold the id.
func template(key, charge string) string {
	if charge == "" {
		return ""
	}
	if digitRun.FindString(charge) != charge {
		if len(charge) < 3 || !strings.Contains(key, charge) {
			return ""
		}
		return counter.ReplaceAllString(strings.ReplaceAll(key, charge, chargeHere), counterHere)
	}
	bare := strings.TrimLeft(charge, "0")
	holds := false
	t := digitRun.ReplaceAllStringFunc(key, func(run string) string {
		if strings.TrimLeft(run, "0") != bare {
			return run
		}
		holds = true
		return chargeHere
	})
	if !holds {
		return ""
	}
	return counter.ReplaceAllString(t, counterHere)
}

// wordy tells whether the rest of a key is plain words: pedido-, not 9f3c.
func wordy(template string) bool {
	for _, word := range wordRun.FindAllString(template, -1) {
		if digitRun.MatchString(word) || word != strings.ToLower(word) && word != strings.ToUpper(word) {
			return false
		}
	}
	return true
}

// hashed tells whether the key is a plain hash of the charge's id, whole or cut
// to a UUID.
func hashed(key, charge string) bool {
	if len(key) < 32 || charge == "" {
		return false
	}
	bare := strings.ToLower(strings.ReplaceAll(key, "-", ""))
	five, one, two := md5.Sum([]byte(charge)), sha1.Sum([]byte(charge)), sha256.Sum256([]byte(charge)) //nolint:gosec // to recognise them
	for _, sum := range [][]byte{five[:], one[:], two[:]} {
		if strings.HasPrefix(hex.EncodeToString(sum), bare) {
			return true
		}
	}
	return false
}
