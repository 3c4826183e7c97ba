package pix

import (
	"encoding/json"
	"fmt"
	"time"

	"desfecho/internal/payment"
)

// meaning is what a provider's word means; final: it will not change any more.
type meaning struct {
	state payment.State
	final bool
}

// chargeStates are the words of a charge that no Pix has paid. The book writes
// those of a removed one in two ways.
var chargeStates = map[string]meaning{
	"ATIVA":                           {payment.StateRequiresAction, false},
	"REMOVIDA_PELO_USUARIO_RECEBEDOR": {payment.StateCanceled, true},
	"REMOVIDO_PELO_USUARIO_RECEBEDOR": {payment.StateCanceled, true},
	"REMOVIDA_PELO_PSP":               {payment.StateCanceled, true},
	"REMOVIDO_PELO_PSP":               {payment.StateCanceled, true},
}

// paidWord is the status of a charge that a Pix has paid.
const paidWord = "CONCLUIDA"

// returnStates are the words of a return's status.
var returnStates = map[string]meaning{
	"EM_PROCESSAMENTO": {payment.StateProcessing, false},
	"DEVOLVIDO":        {payment.StateCaptured, true},
	"NAO_REALIZADO":    {payment.StateDeclined, true},
}

// natures are what a return is. Without a word it is one that the receiver
// asked for. What is not here is other.
var natures = map[string]payment.Kind{
	"":                   payment.KindRefund,
	"ORIGINAL":           payment.KindRefund,
	"RETIRADA":           payment.KindRefund,
	"MED_OPERACIONAL":    payment.KindChargeback,
	"MED_FRAUDE":         payment.KindChargeback,
	"MED_PIX_AUTOMATICO": payment.KindChargeback,
}

// methodPrinted is a Pix that no charge was made for: by a printed code, whose
// txid is short or missing, or by the key alone.
const methodPrinted = "pix_static"

func methodOf(txid string) string {
	if chargeForm.MatchString(txid) {
		return "pix"
	}
	return methodPrinted
}

// How long a charge can be paid where it does not say, by the book.
const (
	defaultSeconds = 86400
	defaultDays    = 30
)

// After its end a charge is held open for what is on its way: a Pix that was
// begun, and days of grace where the end is no working day.
const (
	grace    = day
	graceDue = 7 * day
)

// end is when a charge can be paid no more, and how long what was begun may
// take.
func (c *charge) end(created payment.Instant, zone *time.Location) (payment.Instant, time.Duration, error) {
	if c.Calendar.Due == "" {
		seconds, err := whole(c.Calendar.Seconds, defaultSeconds, mostSeconds)
		return created.Add(time.Duration(seconds) * time.Second), grace, err
	}
	due, err := time.Parse(time.DateOnly, c.Calendar.Due)
	if err != nil {
		return 0, 0, fmt.Errorf("dataDeVencimento %q: want YYYY-MM-DD", c.Calendar.Due)
	}
	days, err := whole(c.Calendar.Days, defaultDays, mostDays)
	last := payment.DayOfDate(due.Date())
	if last == 0 {
		return 0, 0, fmt.Errorf("dataDeVencimento %q: no charge is that old", c.Calendar.Due)
	}
	return (last + payment.Day(days) + 1).Start(zone), graceDue, err
}

// Durations are bounded, that sums of them fit: ten years.
const (
	mostDays    = 3650
	mostSeconds = mostDays * 86400
)

func whole(n json.Number, missing, most int64) (int64, error) {
	if n == "" {
		return missing, nil
	}
	v, err := n.Int64()
	if err != nil || v < 0 || v > most {
		return 0, fmt.Errorf("%q is no duration", n)
	}
	return v, nil
}

// unpaid is what a charge without a Pix means at a moment. now is 0 where the
// provider told no time.
func (c *charge) unpaid(created, now payment.Instant, zone *time.Location) (meaning, error) {
	says, known := chargeStates[c.Status]
	if !known {
		return meaning{state: payment.StateUnmapped}, nil
	}
	if c.Status != "ATIVA" {
		return says, nil
	}
	end, after, err := c.end(created, zone)
	if err != nil {
		return meaning{}, err
	}
	if now != 0 && now >= end { // the word stays ATIVA for ever
		return meaning{payment.StateExpired, now >= end.Add(after)}, nil
	}
	return says, nil
}
