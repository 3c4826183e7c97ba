package cmd

import (
	"strings"
	"testing"

	"desfecho/internal/propose"
)

func TestAProposalTellsHowManyPlacesAreLeft(t *testing.T) {
	t.Parallel()
	for questions, want := range map[int]string{
		0: "",
		1: "desfecho: 1 place is marked with ???: fill it in, then run `desfecho check`\n",
		2: "desfecho: 2 places are marked with ???: fill them in, then run `desfecho check`\n",
	} {
		var told strings.Builder
		d := &deps{global: &globalOptions{}}
		d.Err = &told
		if err := d.leftOpen(&propose.Proposal{Questions: make([]propose.Question, questions)}); err != nil || told.String() != want {
			t.Errorf("%d: %v %q", questions, err, told.String())
		}
	}
}
