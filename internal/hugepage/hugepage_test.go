package hugepage

import "testing"

// The advice changes nothing that a slice holds, whatever its size.
func TestAdviceChangesNoValue(t *testing.T) {
	t.Parallel()
	Advise[int](nil)
	for _, n := range []int{1, 1000, 3 << 20} {
		s := make([]int64, n)
		s[0], s[n-1] = 7, 9
		Advise(s[:0])
		if s[n-1] != 9 || n > 1 && s[0] != 7 {
			t.Errorf("%d values: first %d, last %d", n, s[0], s[n-1])
		}
	}
}
