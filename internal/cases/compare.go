package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// Compare says where the result of a run over the input differs from what is
// expected of it. What only a screen tells (see marks) and what waits are not
// looked at; Waits names the latter.
func Compare(in *reconcile.Input, r *reconcile.Result, want *Expect) []string {
	var d differences
	if r.Defect != "" {
		d.addf("DEFECT: %s", r.Defect)
	}
	d.given("verdict", r.Verdict.String(), want.Verdict)
	if want.Divergences != nil {
		d.entries(r.Divergences, *want.Divergences)
	}
	for _, place := range sortedKeys(want.Places) {
		n := int64(want.Places[place])
		d.number("place "+place, int64(r.Places[reconcile.Place(place)]), &n)
	}
	d.equations(r, want.Bridge)
	d.days(in, want.Days)
	if want.Repeats != nil {
		n := int64(*want.Repeats)
		d.number("repeats", int64(r.Repeats), &n)
	}
	if want.NextPullFrom != nil {
		d.text("next_pull_from", nextPull(r).String(), want.NextPullFrom.String())
	}
	d.lives(r, want.Life)
	if want.Reopened != nil {
		d.text("reopened", sorted(r.Reopened), sorted(*want.Reopened))
	}
	d.given("exit", exitOf(r), want.Exit)
	d.prints(r, want.MustNotPrint)
	return d
}

// Waits names the fields that the expectation gives and nothing compares yet:
// by field, how many.
func (e *Expect) Waits() map[string]int {
	waits := map[string]int{}
	if e == nil {
		return waits
	}
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("waits") != "" && !v.Field(i).IsZero() {
			waits[f.Tag.Get("json")]++
		}
	}
	return waits
}

// compares tells whether the expectation asks for anything that only a run of
// Match shows; a screen and how a command ends are none of it.
func (e *Expect) compares() bool {
	if e == nil {
		return false
	}
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("waits") == "" && f.Tag.Get("screen") == "" && f.Name != "Exit" && !v.Field(i).IsZero() {
			return true
		}
	}
	return false
}

func (d *differences) days(in *reconcile.Input, want map[string]payment.Day) {
	for _, id := range sortedKeys(want) {
		found := false
		for i := range in.Lines {
			if in.Lines[i].ID == id {
				found = true
				d.text("day of line "+id, in.Lines[i].Day.String(), want[id].String())
			}
		}
		if !found {
			d.addf("day of line %s: no such line was read", id)
		}
	}
}

func nextPull(r *reconcile.Result) payment.Instant {
	var first payment.Instant
	for i := range r.Statements {
		if next := r.Statements[i].NextPullFrom; first == 0 || next < first {
			first = next
		}
	}
	return first
}

// lives compares what became of divergences. A cause is compared where it is
// given.
func (d *differences) lives(r *reconcile.Result, want map[string]string) {
	for _, subject := range sortedKeys(want) {
		var got []string
		if r.Memory != nil {
			for i := range r.Memory.Items {
				if item := &r.Memory.Items[i]; item.Subject.String() == subject {
					got = append(got, life(item, want[subject]))
				}
			}
		}
		d.text("life of "+subject, strings.Join(got, " and "), want[subject])
	}
}

func life(item *reconcile.Item, want string) string {
	if item.State == reconcile.LifeResolved && strings.Contains(want, ":") {
		return fmt.Sprintf("%s:%s", item.State, item.Cause)
	}
	return item.State.String()
}

// prints looks for texts that no output may hold.
func (d *differences) prints(r *reconcile.Result, forbidden texts) {
	if len(forbidden) == 0 {
		return
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		d.addf("the result cannot be written as JSON: %v", err)
	}
	for _, text := range forbidden {
		if strings.Contains(out.String(), text) {
			d.addf("the result holds %q, which no output may hold", text)
		}
	}
}
