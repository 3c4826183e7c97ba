package httpx

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type thing struct {
	Status   string            `json:"status"`
	Amount   int64             `json:"amount"`
	Exact    json.Number       `json:"exact"`
	Live     *bool             `json:"liveMode"`
	Metadata map[string]string `json:"metadata"`
	Inner    *thing            `json:"inner"`
	List     []thing           `json:"list"`
	Raw      json.RawMessage   `json:"raw"`
	Embedded
}

// Embedded has fields that are its holder's.
type Embedded struct {
	Kind string `json:"kind"`
}

func TestAKeyIsReadOnceAndAsWritten(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"x":`, 70) + "1" + strings.Repeat("}", 70)
	for body, want := range map[string]string{
		`{"status":"failed","Status":"paid"}`:         "another case",
		`{"Status":"paid"}`:                           "another case",
		`{"STATUS":"paid"}`:                           "another case",
		`{"ſtatus":"paid"}`:                           "another case", // a long s
		`{"\u017ftatus":"paid"}`:                      "another case",
		`{"livemode":true}`:                           "another case",
		`{"KIND":"x"}`:                                "another case",
		`{"\u0053tatus":"paid"}`:                      "another case",
		`{"status":"failed","status":"paid"}`:         "twice",
		`{"status":"failed","stat\u0075s":"paid"}`:    "twice",
		`{"other":1,"other":1}`:                       "twice",
		`{"inner":{"status":"a","status":"b"}}`:       "twice",
		`{"list":[{},{"Status":"b"}]}`:                "another case",
		`{"unknown":{"a":1,"a":2}}`:                   "twice",
		`{"metadata":{"a":"1","a":"2"}}`:              "twice",
		`{"raw":{"a":"1","a":"2"}}`:                   "twice",
		`{"unknown":` + deep + `}`:                    "nested",
		`{"unknown":` + strings.Repeat("9", 65) + `}`: "a number of more than",
		"{\"status\":\"\xff\"}":                       "UTF-8",
		`{"status":"a"} {}`:                           "after top-level",
		`{"status":"a"`:                               "unexpected end",
		`{"amount":1.5}`:                              "cannot unmarshal",
		`{"amount":1e3}`:                              "cannot unmarshal",
		`{"amount":"10"}`:                             "cannot unmarshal",
		`{"amount":9223372036854775808}`:              "cannot unmarshal",
		`{"status":5}`:                                "cannot unmarshal",
		`[]`:                                          "cannot unmarshal",
		``:                                            "unexpected end",
		`<html>`:                                      "invalid character",
		`{,}`:                                         "invalid character",
		`{"list":[}`:                                  "invalid character",
		`{"status" "a"}`:                              "invalid character",
		`{` + strings.Repeat(`"x":1,`, 1) + `"x":1` + `}`: "twice",
	} {
		var into thing
		if err := Decode([]byte(body), &into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func TestWhatIsWellFormedIsRead(t *testing.T) {
	t.Parallel()
	body := ` {"first":{"status":"x","kind":2},"status":"pa\"id","amount":9007199254740993,"exact":1.10,"liveMode":null,"metadata":{"Order":"1","order":"2"},
		"inner":{"status":"x","unknown":[1,{"Status":1,"status":2}]},"list":[{"amount":-1},{}],"raw":{"a":[1,2.50]},"kind":"k","Unknown":1e400,"last":{"kind":1,"amount":2}} `
	var got thing
	if err := Decode([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := thing{
		Status: `pa"id`, Amount: 9007199254740993, Exact: "1.10", Metadata: map[string]string{"Order": "1", "order": "2"},
		Inner: &thing{Status: "x"}, List: []thing{{Amount: -1}, {}}, Raw: json.RawMessage(`{"a":[1,2.50]}`), Embedded: Embedded{"k"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAFloatIsNeverDecodedInto: a type that would round a number is refused,
// whatever the text.
func TestAFloatIsNeverDecodedInto(t *testing.T) {
	t.Parallel()
	for _, into := range []any{new(any), &map[string]any{}, &struct{ A []any }{}, nil} {
		if err := Decode([]byte(`{}`), into); err == nil {
			t.Errorf("%T is decoded into", into)
		}
	}
}

func TestManyKeysAreToldApart(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 31, 127, 128, 129, 1000} {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"k` + strings.Repeat("x", i%50) + string(rune('a'+i/50)) + `":1,`)
		}
		var into map[string]int
		if err := Decode([]byte(`{`+b.String()+`"z":1}`), &into); err != nil || len(into) != n+1 {
			t.Errorf("%d keys, %v", len(into), err)
		}
		if err := Decode([]byte(`{`+b.String()+`"ka":1}`), &into); err == nil {
			t.Errorf("of %d keys the first one came twice", n)
		}
	}
}

// FuzzDecode: whatever passes is JSON that encoding/json reads the same, and in
// which no key is repeated.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"status":"a","Status":"b"}`, `{"list":[{"amount":1}]}`, `[`, `{"a":"\\"}`, `{"\u0061":1,"a":2}`, `"`, `{"a`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var strict, loose thing
		if err := Decode(body, &strict); err != nil {
			return
		}
		if err := json.Unmarshal(body, &loose); err != nil {
			t.Fatalf("%s: encoding/json: %v", body, err)
		}
		if diff := cmp.Diff(loose, strict); diff != "" {
			t.Fatalf("%s (-loose +strict):\n%s", body, diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	row := `{"id":"txn_1Qdesf0000000001","object":"balance_transaction","status":"available","amount":12990,"kind":"charge","metadata":{"order":"1001"},` +
		`"source":{"id":"ch_1","billing_details":{"address":{"city":null,"country":null},"name":"x"},"outcome":{"network_status":"approved_by_network"}}},`
	body := []byte(`{"list":[` + strings.Repeat(row, 99) + strings.TrimSuffix(row, ",") + `]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var into thing
		if err := Decode(body, &into); err != nil {
			b.Fatal(err)
		}
	}
}
