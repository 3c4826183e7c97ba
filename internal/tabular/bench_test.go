package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// statement is a made-up itemized report of n rows.
func statement(n int, quoted bool) []byte {
	var b bytes.Buffer
	b.WriteString("balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,payment_metadata[charge_id]\n")
	format := "txn_3QdesfA%015d,2026-11-29 10:%02d:41,2026-12-29 00:00:00,brl,129.90,5.19,124.71,charge,pi_3QdesfA%015d,%d\n"
	if quoted {
		format = "\"txn_3QdesfA%015d\",\"2026-11-29 10:%02d:41\",\"2026-12-29 00:00:00\",\"brl\",\"129.90\",\"5.19\",\"124.71\",\"charge\",\"pi_3QdesfA%015d\",\"%d\"\n"
	}
	for i := range n {
		fmt.Fprintf(&b, format, i, i%60, i, i)
	}
	return b.Bytes()
}

func drain(tb testing.TB, text []byte, o Options) (rows int) {
	tb.Helper()
	table, err := Open(bytes.NewReader(text), o)
	if err != nil {
		tb.Fatal(err)
	}
	for {
		_, err := table.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			tb.Fatal(err)
		}
		rows++
	}
}

func BenchmarkCSV(b *testing.B) {
	for _, quoted := range []bool{false, true} {
		text := statement(50_000, quoted)
		b.Run(fmt.Sprintf("quoted=%v", quoted), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				drain(b, text, Options{Name: "bench.csv"})
			}
		})
	}
	text := statement(50_000, false)
	b.Run("windows-1252", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			drain(b, text, Options{Name: "bench.csv", Encoding: "windows-1252"})
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	var text bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&text, `{"id":"txn_%015d","object":"balance_transaction","amount":12990,"fee":519,"net":12471,"currency":"brl","status":"available","source":{"id":"ch_%d","payment_intent":"pi_%d","metadata":{"charge_id":"%d","note":"caf\u00e9"},"livemode":true},"created":1764400000}`+"\n", i, i, i, i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		drain(b, text.Bytes(), Options{Name: "bench.ndjson"})
	}
}
