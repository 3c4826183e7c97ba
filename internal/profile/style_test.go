package profile

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"desfecho/internal/datetext"
	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/tabular"
)

// FuzzProfile: any text is a whole profile or a *tabular.Error that names the file.
func FuzzProfile(f *testing.F) {
	for _, text := range []string{
		minimal,
		minimal + "kinds: {charge: [venda, \"*\"]}\nstates: {captured: [paga]}\namounts: {mark: \",\", currency: BRL}\n",
		minimal + "references: [{name: \"*\", scope: charge, kinds: [refund], columns: [\"meta[*]\"]}]\nunits: [{kinds: [payout], unit: [], payout: [id]}]\n",
		"profile: x\nkind: statement\nextends: generic\ndates: {zone: America/Sao_Paulo, layouts: [dd/mm/yyyy]}\nbooks_after: 33d\n",
		"profile: x\nkind: attempts\ncolumns: {id: a, status: b, amount: {heading: c, path: d.e}, created_at: f}\nstatus: {failed: [g]}\nrequired: [id]\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse("fuzz.yaml", text)
		if err == nil {
			if p.Name == "" || len(p.Columns) == 0 || p.Kind != KindStatement && p.Kind != KindAttempts {
				t.Fatalf("half a profile: %+v", p)
			}
			return
		}
		if fault, ok := errors.AsType[*tabular.Error](err); p != nil || !ok || fault.Problem == "" {
			t.Fatalf("%v, %T: %v", p, err, err)
		}
	})
}

// readAll reads one amount column of a one-column file.
func readAll(t *testing.T, cells []string, zone *time.Location) (minor []int64, at []payment.Instant, err error) {
	t.Helper()
	p, perr := Parse("t", []byte("profile: t\nkind: statement\nline_ids: none\ntext: {delimiter: \"|\"}\namounts: {currency: BRL}\ncolumns: {gross: v, occurred_at: d}\nrequired: [gross, occurred_at]\n"))
	if perr != nil {
		t.Fatal(perr)
	}
	text := "v|d\n" + strings.Join(cells, "\n") + "\n"
	s, serr := NewSource(strings.NewReader(text), SourceOptions{Name: "t", Kind: KindStatement, Profile: p, Zone: zone})
	if serr != nil {
		t.Fatal(serr)
	}
	var b *Binding
	_, err = s.Each(t.Context(), func(bound *Binding) error {
		b, minor, at = bound, nil, nil
		b.Amount("gross")
		b.Date("occurred_at")
		return nil
	}, func(row tabular.Row) (bool, error) {
		m, _, _, err := b.Amount("gross").Read(row, money.MustCurrency("BRL"))
		if err != nil {
			if IsUnproven(err) {
				return false, err
			}
			return false, b.Fault("gross", row, err.Error(), HintOf(err))
		}
		v, _, err := b.Date("occurred_at").Read(row)
		if err != nil {
			if IsUnproven(err) {
				return false, err
			}
			return false, b.Fault("occurred_at", row, err.Error(), HintOf(err))
		}
		minor, at = append(minor, m), append(at, v.At)
		return true, nil
	})
	return minor, at, err
}

func TestAColumnsStyleIsOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cells []string
		want  []int64 // nil: refused
	}{
		"whole numbers need no mark":  {[]string{"1500|2025-03-10", "7|2025-03-10"}, []int64{150000, 700}},
		"a later cell proves a comma": {[]string{"1.500|2025-03-10", "2,50|2025-03-10"}, []int64{150000, 250}},
		"a later cell proves a dot":   {[]string{"1,500|2025-03-10", "2.50|2025-03-10"}, []int64{150000, 250}},
		"nothing proves it":           {[]string{"1.500|2025-03-10", "25|2025-03-10"}, nil},
		"two marks, dot first":        {[]string{"1.50|2025-03-10", "2,50|2025-03-10"}, nil},
		"two marks, after an open":    {[]string{"1.500|2025-03-10", "1.50|2025-03-10", "2,50|2025-03-10"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := readAll(t, c.cells, time.UTC)
			if (err == nil) != (c.want != nil) {
				t.Fatalf("%v, %v", got, err)
			}
			for i := range c.want {
				if got[i] != c.want[i] {
					t.Errorf("%s is %d, want %d", c.cells[i], got[i], c.want[i])
				}
			}
		})
	}
}

// TestTheFastFormsSayWhatTheCarefulReaderSays, in zones that skip and repeat
// hours.
func TestTheFastFormsSayWhatTheCarefulReaderSays(t *testing.T) {
	t.Parallel()
	var zones []*time.Location
	for _, name := range []string{"UTC", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(600_000_000, 2_000_000_000).Draw(t, "at"), 0).UTC()
		text := at.Format(rapid.SampledFrom([]string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z"}).Draw(t, "layout"))
		if rapid.Bool().Draw(t, "damaged") {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "where")
			text = text[:i] + rapid.SampledFrom([]string{"9", "x", " ", "0"}).Draw(t, "what") + text[i+1:]
		}
		var day isoDay
		fast, ok := day.parse(text, zone)
		if !ok {
			return // the careful reader decides
		}
		careful, err := datetext.Parse(text, []string{"iso"}, zone)
		if err != nil || careful != fast {
			t.Fatalf("%q in %s: %+v, %+v, %v", text, zone, fast, careful, err)
		}
	})
}

func TestMinorUnitsOfAProviderAreTurnedIntoThoseOfTheCurrency(t *testing.T) {
	t.Parallel()
	a := &AmountColumn{style: &AmountStyle{Minor: true, Exponents: map[string]int{"ISK": 2, "UGX": 2, "MGA": 0}}}
	for _, c := range []struct {
		text, currency string
		want           int64
		ok             bool
	}{
		{"500", "ISK", 5, true},
		{"550", "ISK", 0, false},
		{"500", "MGA", 50000, true},
		{"500", "BRL", 500, true},
		{"9223372036854775807", "MGA", 0, false},
		{"5.00", "BRL", 0, false},
	} {
		got, err := a.fromMinor(c.text, money.MustCurrency(c.currency))
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("%s %s is %d, %v; want %d", c.text, c.currency, got, err, c.want)
		}
	}
}

// TestADiskThatFailsIsNoUsageError: the user cannot mend it in the file.
func TestADiskThatFailsIsNoUsageError(t *testing.T) {
	t.Parallel()
	failing := errors.New("the disk is gone")
	_, err := NewSource(io.MultiReader(strings.NewReader("line_id,"), failingReader{failing}), SourceOptions{Name: "x", Kind: KindStatement})
	if !errors.Is(err, failing) {
		t.Errorf("%v", err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
