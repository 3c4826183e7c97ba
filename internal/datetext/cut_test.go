package datetext

import "testing"

// TestAnOffsetThatWasCutOffIsNone: behind a time its hours have two digits, and
// its minutes too.
func TestAnOffsetThatWasCutOffIsNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "Z": true, "-03:00": true, "-0300": true, "-03": true, "+05:30": true,
		"-0": false, "-3": false, "-03:": false, "-03:0": false, "-030": false, "-": false, "+1": false, "+1:30": false,
	} {
		var w written
		if got := w.ownZone(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
