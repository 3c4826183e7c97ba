package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPredicatesAreReadAsBothDatabasesPrintThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		predicate string
		want      Holds
		ok        bool
	}{
		{`status IN ('pending','unknown')`, Holds{Words: []string{"pending", "unknown"}}, true},
		{`(status = ANY (ARRAY['pending'::text, 'unknown'::text]))`, Holds{Words: []string{"pending", "unknown"}}, true},
		{`((status)::text = ANY ((ARRAY['pending'::character varying, 'unknown'::character varying])::text[]))`, Holds{Words: []string{"pending", "unknown"}}, true},
		{`(status = 'pending'::attempt_status)`, Holds{Words: []string{"pending"}}, true},
		{`((status = 'pending'::text) OR (status = 'unknown'::text))`, Holds{Words: []string{"pending", "unknown"}}, true},
		{`(status <> ALL (ARRAY['succeeded'::text, 'failed'::text]))`, Holds{Words: []string{"failed", "succeeded"}, Negated: true}, true},
		{`status NOT IN ('succeeded','failed')`, Holds{Words: []string{"failed", "succeeded"}, Negated: true}, true},
		{`"status" = 'it''s open'`, Holds{Words: []string{"it's open"}}, true},
		{`(status = ANY (ARRAY[0, 1]))`, Holds{Words: []string{"0", "1"}}, true},
		{`((status = 'pending'::text) AND (deleted_at IS NULL))`, Holds{Words: []string{"pending"}, Further: true}, true},
		{`((charge_id IS NOT NULL) AND (status = 'pending'::text))`, Holds{Words: []string{"pending"}}, true},
		{`(resolved_at IS NULL)`, Holds{Further: true}, false},
		{`(other = 'status'::text)`, Holds{Further: true}, false},
		{`(status_code = 'pending'::text)`, Holds{Further: true}, false},
	} {
		got, ok := Demands(c.predicate, "status")
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%s: ok %v (-want +got):\n%s", c.predicate, ok, diff)
		}
	}
}

func TestNamesAreAlwaysQuoted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`attempts`: `"attempts"`, `public.attempts`: `"public"."attempts"`, `a"; DROP TABLE x; --`: `"a""; DROP TABLE x; --"`, `"a.b"`: `"a.b"`,
	} {
		if got := Quote(name); got != want {
			t.Errorf("Quote(%s) = %s, want %s", name, got, want)
		}
	}
}
