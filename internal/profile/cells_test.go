package profile

import "testing"

// TestAStoredAnswerThatSaysTwoThingsSaysNothing: a key that stands twice, or in
// two cases, would be read by one program this way and by another that way.
func TestAStoredAnswerThatSaysTwoThingsSaysNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":"pay_1","payment":{"id":" p "}}`: "pay_1",
		`{"id":12.50}`:                          "12.50",
		`{"id":null}`:                           "",
		`{"ID":"pay_1"}`:                        "",
		`{"id":"pay_1","id":"pay_2"}`:           "",
		`{"id":"pay_1","ID":"pay_2"}`:           "",
		`{"id":"pay_1"} {"id":"pay_2"}`:         "",
		`{"id":"pay_1"`:                         "",
		`<html>504</html>`:                      "",
		`[{"id":"pay_1"}]`:                      "",
	} {
		if got := inside(text, "id"); got != want {
			t.Errorf("id in %s is %q, want %q", text, got, want)
		}
	}
	if got := inside(`{"payment":{"id":" p "}}`, "payment.id"); got != " p " {
		t.Errorf("payment.id is %q", got)
	}
}
