package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"desfecho/internal/evidence"
	"desfecho/internal/money"
	"desfecho/reconcile"
)

// FeeConfig is what was agreed that the provider keeps of a sale.
type FeeConfig struct {
	Method   string `mapstructure:"method"`
	Parcels  string `mapstructure:"parcels"` // 1, or 2-6
	Percent  string `mapstructure:"percent"` // of the gross, such as 3.49
	Fixed    string `mapstructure:"fixed"`   // such as 0.39
	Per      string `mapstructure:"per"`     // of what Fixed is kept: sale or parcel
	Currency string `mapstructure:"currency"`
}

// applyFees reads what was agreed with the provider.
func (p ProviderConfig) applyFees(policy *reconcile.Policy) error {
	for i, fee := range p.Fees {
		rule, err := fee.rule()
		if err != nil {
			return fmt.Errorf("fees[%d]: %w", i, err)
		}
		policy.Fees = append(policy.Fees, rule)
	}
	return nil
}

func (f FeeConfig) rule() (rule evidence.FeeRule, err error) {
	rule.Method = f.Method
	if rule.Currency, err = money.ParseCurrency(f.Currency); err != nil {
		return rule, err
	}
	if f.Percent == "" && f.Fixed == "" {
		return rule, errors.New("want percent, fixed or both")
	}
	if rule.Millionths, err = parsePercent(f.Percent); err != nil {
		return rule, err
	}
	if f.Fixed != "" {
		minor, stated, err := money.ParseText(f.Fixed, '.', rule.Currency)
		if err != nil {
			return rule, fmt.Errorf("fixed: %w", err)
		}
		if minor < 0 || !stated.IsZero() {
			return rule, fmt.Errorf("fixed %q: want an amount such as 0.39", f.Fixed)
		}
		rule.Fixed = minor
	}
	switch f.Per {
	case "", "sale":
	case "parcel":
		rule.EachParcel = true
	default:
		return rule, fmt.Errorf("per %q: want sale or parcel", f.Per)
	}
	rule.From, rule.To, err = parseParcels(f.Parcels)
	return rule, err
}

// parsePercent reads a percentage of at most four decimals into millionths.
func parsePercent(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + (fraction + "0000")[:max(4, len(fraction))]
	millionths, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || whole == "" || len(fraction) > 4 || millionths > 1_000_000 || strings.HasSuffix(text, ".") {
		return 0, fmt.Errorf("percent %q: want a number from 0 to 100 with at most four decimals, such as 3.49", text)
	}
	return int64(millionths), nil
}

// parseParcels reads 3 or 2-6; 0 and 0 where nothing is said.
func parseParcels(text string) (from, to int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	from, err = strconv.Atoi(first)
	if err == nil {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < from {
		return 0, 0, fmt.Errorf("parcels %q: want a number such as 1, or two such as 2-6", text)
	}
	return from, to, nil
}
