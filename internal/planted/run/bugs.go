package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// bug is one planted bug: its name and what it does as they stand in the
// source, and the tests that noticed it.
type bug struct {
	name, does string
	variable   string // that the linker sets
	in         []place
	noticed    []string
}

// place is a package whose tests may notice a bug, and which of them are run.
type place struct {
	pkg   string
	tests string   // for -run
	args  []string // to the tests, after them
}

// Drawn tests draw the same every time, so that the table is the same.
var drawn = []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1s"}

// The places. Where the database is asked SQLite stands for both: the statements
// of PostgreSQL's write are bound by the same suite.
var (
	rules = place{"./resolve", "TestEveryCase|TestTheOrder|TestNegative|TestAStored|TestTime|TestACaptured|TestFresh|TestWhatIsYet|TestEveryRow|TestNoState|" +
		"TestOneFact|TestAnApproval|TestLarge|TestARefusal|TestTheRows|TestAnObject|TestALine|TestWhatASibling|TestWhatTheProvider", drawn}
	writes = place{"./internal/store/sqlite", "TestTheWrite|TestContract/(AttemptIsSettled|WhyNothing|OnlyLegal|FollowUps|LostOperation|OfManyWriters)", drawn}
	effect = place{"./internal/store", "TestEveryWrite", nil}
	asking = place{"./internal/probe", "", drawn}
	desk   = place{"./internal/settle", "", drawn}
)

// sources are where bugs are planted, and the places that may notice them.
func sources() []struct {
	file, variable string
	in             []place
} {
	return []struct {
		file, variable string
		in             []place
	}{
		{"resolve/planted.go", "desfecho/resolve.planted", []place{rules}},
		{"internal/planted/planted.go", "desfecho/internal/planted.chosen", nil},
	}
}

// around are the places of the bugs around the write.
var around = map[string][]place{
	"drop_status": {writes}, "drop_version": {writes}, "drop_unit": {writes}, "ignore_moved_sibling": {writes, desk}, "credit_twice": {writes}, "ignore_follow_up_rows": {writes},
	"no_audit": {writes, desk}, "settle_by_read": {writes}, "any_write": {writes}, "release_early": {writes, effect},
	"local_clock": {asking}, "any_account": {asking}, "no_control": {asking},
	"skip_last_look": {desk}, "any_age": {desk}, "any_digest": {desk}, "no_second_person": {desk}, "assume_landed": {desk},
}

// planted reads the bugs from the source, so that none can be left out.
func planted() (all []bug, err error) {
	for _, s := range sources() {
		file, err := parser.ParseFile(token.NewFileSet(), s.file, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			if text, ok := v.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
				name, unquoted := strconv.Unquote(text.Value)
				if unquoted == nil {
					all = append(all, bug{name: name, does: strings.TrimSpace(v.Comment.Text()), variable: s.variable, in: s.in})
				}
			}
			return true
		})
	}
	for i := range all {
		b := &all[i]
		if b.in == nil {
			b.in = around[b.name]
		}
		if b.in == nil || b.does == "" {
			return nil, fmt.Errorf("bug %s: say what it does beside its name, and in this program which tests may notice it", b.name)
		}
	}
	return all, nil
}

// laws are the tests of properties, models and enumerations.
var laws = []string{
	"TestEveryCaseHasAVerdict", "TestTheOrderOfEvidenceHasNoInfluence", "TestNegativeEvidenceNeverOpensSucceeded", "TestAStoredEventNeverOpensAFinalMark",
	"TestTimeAloneNeverOpensAFinalMark", "TestACapturedUnitClosesFailed", "TestFreshEvidenceThatSaysTheSameKeepsTheDigest", "TestWhatIsYetToComeHasNoInfluence",
	"TestEveryRowOfTheVerdictTableIsWhatTheRulesSay", "TestNoStateOfTheModelBreaksALaw", "TestTheWriteDoesWhatItsModelSays",
	"TestAnObservationIsTrueOfItsMoment", "TestOnlyWhatStillStandsIsWrittenAndWhatIsToldIsTrue",
}
