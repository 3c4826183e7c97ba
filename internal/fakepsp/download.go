package fakepsp

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// DownloadLedger writes the ledger rows of a window as the CSV file that a
// merchant would download, with a column for each of the metadata keys. Amounts
// are minor units, instants UTC; a payment over a static QR code is named by
// its method.
func (p *Provider) DownloadLedger(w io.Writer, from, to time.Time, keys ...string) error {
	rows := [][]string{append([]string{"id", "type", "object", "payment", "amount", "currency", "balance", "payout", "at"}, keys...)}
	for _, e := range p.Entries() {
		if e.At.Before(from) || !e.At.Before(to) {
			continue
		}
		kind := e.Type
		if e.Type == "charge" && e.Method == MethodStatic {
			kind = MethodStatic
		}
		row := []string{
			e.ID, kind, e.Object, e.Parent, minor(e.Amount), e.Currency, minor(e.Balance), e.Payout, e.At.UTC().Format(time.RFC3339Nano),
		}
		rows = append(rows, append(row, values(e.Metadata, keys)...))
	}
	return download(w, rows)
}

// DownloadObjects writes the objects that were created in a window, in the
// state that they are in now, likewise.
func (p *Provider) DownloadObjects(w io.Writer, from, to time.Time, keys ...string) error {
	rows := [][]string{append([]string{
		"id", "kind", "method", "state", "reason", "amount", "captured", "currency", "payment", "key", "created_at",
	}, keys...)}
	for _, o := range p.Objects() {
		if o.CreatedAt.Before(from) || !o.CreatedAt.Before(to) {
			continue
		}
		row := []string{
			o.ID, o.Kind, o.Method, o.State, o.Reason, minor(o.Amount), minor(o.Captured), o.Currency, o.Parent, o.Key,
			o.CreatedAt.UTC().Format(time.RFC3339Nano),
		}
		rows = append(rows, append(row, values(o.Metadata, keys)...))
	}
	return download(w, rows)
}

func minor(amount int64) string { return strconv.FormatInt(amount, 10) }

func values(metadata map[string]string, keys []string) (all []string) {
	for _, key := range keys {
		all = append(all, metadata[key])
	}
	return all
}

func download(w io.Writer, rows [][]string) error {
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("write the download: %w", err)
	}
	return nil
}
