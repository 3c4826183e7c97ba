package world

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

// WriteAttempts writes the merchant's table as the `attempts` format: a
// heading, then one row each.
func (w *World) WriteAttempts(to io.Writer) error {
	return writeCSV(to, []string{
		"id", "charge_id", "idempotency_key", "provider", "status", "provider_charge_id", "amount_cents", "currency",
		"created_at", "reference", "operation", "account", "updated_at", "payload_hash", "last_error", "reserve",
	}, len(w.Attempts), func(i int) []string {
		a := &w.Attempts[i]
		return []string{
			a.ID, a.Charge, a.Key, a.Provider, a.Status.String(), a.ProviderID, strconv.FormatInt(a.Amount.Minor, 10),
			a.Amount.Currency.String(), a.CreatedAt.String(), ownReference(a.References), a.Operation.String(), a.Account,
			a.LastSent.String(), a.PayloadHash, a.LastError.String(), a.Reserve.String(),
		}
	})
}

// WriteStatement writes the ledger's lines as the `generic` format. It has no
// place for references of scope charge, nor for objects that no line names.
func (w *World) WriteStatement(to io.Writer) error {
	return writeCSV(to, []string{
		"line_id", "provider_charge_id", "reference", "type", "gross", "fee", "net", "currency", "status", "occurred_at",
		"provider", "account", "mode", "installment", "parent", "presented_amount", "presented_currency", "available_at",
	}, len(w.Lines), func(i int) []string { return lineCells(&w.Lines[i]) })
}

func lineCells(l *payment.Line) []string {
	decimal := func(minor int64, c money.Currency) string { return money.Amount{Minor: minor, Currency: c}.Decimal() }
	id, status, installment, presented := l.ID, "available", "", ""
	if id == "" {
		id = "row " + strconv.Itoa(int(l.Row))
	}
	if l.Still {
		status = "authorized"
	}
	if l.Of > 0 {
		installment = strconv.Itoa(int(l.N)) + "/" + strconv.Itoa(int(l.Of))
	}
	if l.Presented.Known {
		presented = decimal(l.Presented.Minor, l.PresentedCurrency)
	}
	return []string{
		id, l.Unit, ownReference(l.References), l.Kind.String(), decimal(l.Gross, l.Currency), decimal(l.Fee, l.Currency),
		decimal(l.Net, l.Currency), l.Currency.String(), status, l.At.String(), l.Provider, l.Account, l.Mode.String(),
		installment, l.Parent, presented, l.PresentedCurrency.String(), l.AvailableAt.String(),
	}
}

// ownReference is the reference of scope attempt among them, "" if none.
func ownReference(all []payment.Reference) string {
	for _, r := range all {
		if r.Name == refName {
			return r.Value
		}
	}
	return ""
}

func writeCSV(to io.Writer, heading []string, rows int, row func(int) []string) error {
	buffer := bufio.NewWriter(to)
	out := csv.NewWriter(buffer)
	if err := out.Write(heading); err != nil {
		return fmt.Errorf("write the heading: %w", err)
	}
	for i := range rows {
		if err := out.Write(row(i)); err != nil {
			return fmt.Errorf("write row %d: %w", i+1, err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	if err := buffer.Flush(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}
