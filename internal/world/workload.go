package world

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"desfecho/internal/payment"
)

// Workload is a pair of files for measuring: as many attempts as lines, one
// sale in Rare with each of six mistakes, each row about 150 bytes. Nothing of
// it is held in memory but one day.
type Workload struct {
	Rows int
	Seed uint64
	Rare int // 0: 200
}

// WorkloadTruth is what a reconciliation of the files must list, by class, and
// how it must be called to do so.
type WorkloadTruth struct {
	Attempts, Lines int
	Classes         map[string]int
	Covers          payment.Interval // of the statement and of the attempts
	AsOf            payment.Instant
}

// workloadDays is how many days the rows are spread over.
const workloadDays = 30

// mistake is what is wrong with one sale of a workload.
type mistake uint8

const (
	noMistake mistake = iota
	lineAlone
	lineOfFailed
	attemptAlone
	wrongCurrency
	wrongAmount
	doubledSale
	mistakes
)

// mistakeClasses are the classes of RULES §4 that the mistakes make.
var mistakeClasses = [mistakes]string{
	"", "unrecorded_charge", "failed_but_charged", "missing_at_provider", "currency_mismatch", "amount_mismatch", "duplicate_charge",
}

// Write writes both files and says what is true of them.
func (w Workload) Write(attempts, statement io.Writer) (WorkloadTruth, error) {
	out := &workloadWriter{
		dice: dice{rand.New(rand.NewPCG(w.Seed, 1))}, rows: w.Rows, rare: cmp.Or(w.Rare, 200),
		attempts: bufio.NewWriterSize(attempts, 1<<18), statement: bufio.NewWriterSize(statement, 1<<18),
		truth: WorkloadTruth{Classes: map[string]int{}},
	}
	begin := payment.DayOfDate(2025, time.March, 1)
	out.truth.Covers = payment.Interval{From: begin.Start(time.UTC), To: (begin + workloadDays + 2).Start(time.UTC)}
	out.truth.AsOf = out.truth.Covers.To.Add(12 * time.Hour)
	out.heading()
	for day := range workloadDays {
		until := w.Rows * (day + 1) / workloadDays
		out.day((begin + payment.Day(day)).Start(time.UTC), until)
	}
	if err := out.attempts.Flush(); err != nil {
		return out.truth, fmt.Errorf("write attempts: %w", err)
	}
	if err := out.statement.Flush(); err != nil {
		return out.truth, fmt.Errorf("write the statement: %w", err)
	}
	return out.truth, nil
}

// workloadWriter writes a workload day by day. Its bufio.Writers keep the
// first error, which the last Flush returns.
type workloadWriter struct {
	dice
	rows, rare          int
	attempts, statement *bufio.Writer
	truth               WorkloadTruth
	sale                int
	row                 []byte
	lines               [][]byte
}

func (w *workloadWriter) heading() {
	_, _ = w.attempts.WriteString("id,charge_id,idempotency_key,provider,status,provider_charge_id,amount_cents,currency,created_at,resolved_at\n")
	_, _ = w.statement.WriteString("line_id,provider_charge_id,reference,type,gross,fee,net,currency,status,occurred_at\n")
}

// day writes sales until so many attempts are written; the statement's rows of
// a day come in any order.
func (w *workloadWriter) day(begin payment.Instant, until int) {
	w.lines = w.lines[:0]
	for w.truth.Attempts < until {
		w.tell(begin.Add(time.Duration(w.IntN(86_000)) * time.Second))
	}
	rand.New(rand.NewPCG(uint64(begin), 2)).Shuffle(len(w.lines), func(i, j int) { w.lines[i], w.lines[j] = w.lines[j], w.lines[i] })
	for _, line := range w.lines {
		_, _ = w.statement.Write(line)
	}
}

// tell writes one sale: rarely with one mistake. A line without attempt takes
// the place of one of an attempt without line, so that both files have about
// as many rows.
func (w *workloadWriter) tell(at payment.Instant) {
	wrong := noMistake
	if n := w.IntN(w.rare); n > 0 && n < int(mistakes) {
		wrong = mistake(n)
		w.truth.Classes[mistakeClasses[wrong]]++
	}
	w.sale++
	minor, currency := 500+int64(w.IntN(200_000)), "BRL"
	switch wrong { //nolint:exhaustive // the others change nothing here
	case lineAlone:
		w.line(w.sale, at, minor)
	case attemptAlone:
		w.attempt(w.sale, w.sale, at, minor, currency, "succeeded")
	case doubledSale:
		charge := w.sale
		w.attempt(charge, charge, at, minor, currency, "succeeded")
		w.line(charge, at, minor)
		w.sale++
		w.attempt(w.sale, charge, at.Add(5*time.Minute), minor, currency, "succeeded")
		w.line(w.sale, at.Add(5*time.Minute), minor)
	default:
		status, theirs := "succeeded", minor
		switch wrong { //nolint:exhaustive // the others change nothing here
		case lineOfFailed:
			status = "failed"
		case wrongAmount:
			theirs++
		case wrongCurrency:
			currency = "USD"
		}
		w.attempt(w.sale, w.sale, at, minor, currency, status)
		w.line(w.sale, at, theirs)
	}
}

func (w *workloadWriter) attempt(id, charge int, at payment.Instant, minor int64, currency, status string) {
	w.truth.Attempts++
	row := w.row[:0]
	row = append(row, "att_"...)
	row = appendPadded(row, id)
	row = append(row, ",chg_"...)
	row = appendPadded(row, charge)
	row = append(row, ",key_"...)
	row = appendPadded(row, id)
	row = append(row, ",acme,"...)
	row = append(row, status...)
	row = append(row, ",pi_"...)
	row = appendPadded(row, id)
	row = append(row, ',')
	row = strconv.AppendInt(row, minor, 10)
	row = append(row, ',')
	row = append(row, currency...)
	row = append(row, ',')
	row = at.Time().AppendFormat(row, time.RFC3339)
	row = append(row, ',')
	row = at.Add(4*time.Second).Time().AppendFormat(row, time.RFC3339)
	row = append(row, '\n')
	w.row = row
	_, _ = w.attempts.Write(w.row)
}

func (w *workloadWriter) line(id int, at payment.Instant, minor int64) {
	w.truth.Lines++
	fee := minor / 50
	row := make([]byte, 0, 160)
	row = append(row, "txn_"...)
	row = appendPadded(row, id)
	row = append(row, ",pi_"...)
	row = appendPadded(row, id)
	row = append(row, ",key_"...)
	row = appendPadded(row, id)
	row = append(row, ",charge,"...)
	row = appendDecimal(row, minor)
	row = append(row, ',')
	row = appendDecimal(row, fee)
	row = append(row, ',')
	row = appendDecimal(row, minor-fee)
	row = append(row, ",BRL,available,"...)
	row = at.Add(8*time.Second).Time().AppendFormat(row, time.RFC3339)
	w.lines = append(w.lines, append(row, '\n'))
}

// appendPadded appends a number of twelve digits.
func appendPadded(row []byte, n int) []byte {
	const width = 12
	var digits [width]byte
	for i := width - 1; i >= 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return append(row, digits[:]...)
}

// appendDecimal appends an amount of a currency with two decimals.
func appendDecimal(row []byte, minor int64) []byte {
	row = strconv.AppendInt(row, minor/100, 10)
	return append(row, '.', byte('0'+minor/10%10), byte('0'+minor%10))
}
