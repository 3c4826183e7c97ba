package report

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"desfecho/internal/money"
	"desfecho/reconcile"
)

func TestAFullDiskIsAnErrorInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(full, format, designDocument(), Options{Terminal: true}); err == nil || !strings.Contains(err.Error(), format) {
			t.Errorf("%s: %v", format, err)
		}
		if err := full.Close(); err != nil {
			t.Error(err)
		}
	}
}

// failsAfter accepts so many bytes.
type failsAfter struct{ left int }

var errFull = errors.New("full")

func (f *failsAfter) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestAFailureAtAnyByteIsReturned(t *testing.T) {
	t.Parallel()
	d := manyDivergences(300)
	for _, format := range Formats() {
		size := len(render(t, format, d, Options{}))
		for n := 0; n < size; n += 1 + size/40 {
			if err := Write(&failsAfter{n}, format, d, Options{}); !errors.Is(err, errFull) {
				t.Fatalf("%s, full after %d of %d bytes: %v", format, n, size, err)
			}
		}
	}
}

func TestAnUnknownFormatListsTheKnownOnes(t *testing.T) {
	t.Parallel()
	err := Write(io.Discard, "xml", designDocument(), Options{})
	if err == nil || !strings.Contains(err.Error(), `"xml"`) || !strings.Contains(err.Error(), "table, csv, csv-br, json, ndjson, md, html, xlsx") {
		t.Errorf("got %v", err)
	}
}

func TestASumBeyond64BitsIsAnErrorAndNoFigure(t *testing.T) {
	t.Parallel()
	d := designDocument()
	for range 2 {
		d.Result.Divergences = append(d.Result.Divergences, attemptDivergence(reconcile.UnknownCharged, reconcile.P1, "x", math.MaxInt64, at("2025-11-29T08:00")))
	}
	for _, format := range []string{"table", "json", "ndjson", "md", "html", "xlsx"} {
		var out bytes.Buffer
		if err := Write(&out, format, d, Options{}); !errors.Is(err, money.ErrOverflow) || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", format, err, out.Len())
		}
	}
}

// manyDivergences is a run with n of them.
func manyDivergences(n int) *Document {
	d := fileDocument()
	d.Result.Groups = nil
	few := d.Result.Divergences
	for len(d.Result.Divergences) < n {
		d.Result.Divergences = append(d.Result.Divergences, few...)
	}
	return d
}

func BenchmarkWrite100k(b *testing.B) {
	d := manyDivergences(100_000)
	for _, format := range Formats() {
		for _, o := range []Options{{}, {Terminal: true, Width: 140}} {
			if o.Terminal && format != "table" {
				continue
			}
			name := format
			if o.Terminal {
				name += "-terminal"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if err := Write(io.Discard, format, d, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
