package store

import (
	"strings"
	"testing"
)

func TestFollowUpsAreOneStatementWithNamedParameters(t *testing.T) {
	t.Parallel()
	s, err := compile(`UPDATE charges SET status='paid; $5', by=$operator WHERE id = $charge AND "o$d" <> $operator;`, "UPDATE")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"operator": "o'hara $charge", "charge": "993"}
	want := `UPDATE charges SET status='paid; $5', by='o''hara $charge' WHERE id = '993' AND "o$d" <> 'o''hara $charge'`
	if got := s.Shown(values); got != want {
		t.Errorf("shown as\n%s, want\n%s", got, want)
	}
	for _, bad := range []string{
		"", "COMMIT", "BEGIN", "ROLLBACK", "SET x = 1", "DROP TABLE charges", "CALL pay()",
		"UPDATE a SET b=1; COMMIT", "UPDATE a SET b=1 -- $id", "UPDATE a /* x */ SET b=1", `UPDATE a SET b=E'\'; COMMIT; --'`,
		"UPDATE a SET b=$$x$$", "UPDATE a SET b=$tag$x$tag$", "UPDATE a SET b=$1", "UPDATE a SET b=$nobody", "UPDATE a SET b='x", "UPDATE a SET b='\x00'",
	} {
		if s, err := compile(bad, "UPDATE", "INSERT", "DELETE", "SELECT", "WITH"); err == nil {
			t.Errorf("%q is taken as %q", bad, s.Shown(nil))
		}
	}
}

func TestTransitionsAreCheckedBeforeAnythingIsOffered(t *testing.T) {
	t.Parallel()
	good := Description{
		Read: "a", Columns: Columns{ID: "id", Status: "s", Amount: "m", Unit: "minor", CreatedAt: "c"}, Currency: "BRL", Provider: "p",
		Status: StatusWords{Unknown: []string{"?"}}, LockBefore: []string{"SELECT 1 FROM charges WHERE id = $charge FOR UPDATE NOWAIT"},
		Transitions: []Transition{
			{To: "failed"},
			{To: "succeeded", FollowUp: []FollowUp{{SQL: "UPDATE charges SET status='paid' WHERE id=$charge AND status<>'paid'", Rows: "0..1", Zero: "already paid"}}},
		},
	}
	r, err := good.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := r.Effect("failed"); !ok || len(e.Steps) != 0 {
		t.Error("a transition that is declared empty is not offered")
	}
	if _, ok := r.Effect("succeeded_duplicate"); ok {
		t.Error("a transition that is not declared is offered")
	}
	for want, spoil := range map[string]func(d *Description){
		"lock_first[0]":  func(d *Description) { d.LockBefore = []string{"SELECT 1 FROM charges WHERE id=$charge FOR UPDATE"} },
		"to: \"paid\"":   func(d *Description) { d.Transitions = []Transition{{To: "paid"}} },
		"declared twice": func(d *Description) { d.Transitions = []Transition{{To: "failed"}, {To: "failed"}} },
		"follow_up[0].ro": func(d *Description) {
			d.Transitions = []Transition{{To: "failed", FollowUp: []FollowUp{{SQL: "DELETE FROM x", Rows: "many"}}}}
		},
		"follow_up[0].ze": func(d *Description) {
			d.Transitions = []Transition{{To: "failed", FollowUp: []FollowUp{{SQL: "DELETE FROM x", Rows: "0..1"}}}}
		},
		"follow_up[0].sq": func(d *Description) {
			d.Transitions = []Transition{{To: "failed", FollowUp: []FollowUp{{SQL: "COMMIT"}}}}
		},
		"also_set": func(d *Description) {
			d.Transitions = []Transition{{To: "failed", AlsoSet: []SetAlso{{"c", "$nobody"}}}}
		},
	} {
		d := good
		spoil(&d)
		if _, err := d.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
