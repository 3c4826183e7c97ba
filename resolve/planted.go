package resolve

// plantedBug names a place where the rules can be broken on purpose, to see
// that the tests notice. Without the build tag `planted` none ever is.
type plantedBug string

// The planted bugs.
const (
	bugStaleEvidence       plantedBug = "stale_evidence"       // what was observed any time ago may be confirmed
	bugStaleNotFound       plantedBug = "stale_not_found"      // a no from before the horizon ripens
	bugAskedOnce           plantedBug = "asked_once"           // one negative look-up is enough
	bugAnyGrade            plantedBug = "any_grade"            // coverage that nobody proved opens the gate
	bugNoCoverage          plantedBug = "no_coverage"          // the list need not be read
	bugIgnoreLookAlike     plantedBug = "ignore_look_alike"    // an unlinked capture blocks nothing
	bugIgnoreEvent         plantedBug = "ignore_event"         // a stored event blocks nothing
	bugIgnoreSibling       plantedBug = "ignore_sibling"       // the charge is never paid already
	bugIgnoreContradiction plantedBug = "ignore_contradiction" // a look-up that denies the line is passed over
	bugTakeFirst           plantedBug = "take_first"           // of several captured units the first is taken
	bugAnyAmount           plantedBug = "any_amount"           // the captured amount is not compared
	bugEventMarks          plantedBug = "event_marks"          // a stored event opens succeeded
	bugNoApproval          plantedBug = "no_approval"          // no second person is asked
	bugDeclineDominates    plantedBug = "decline_dominates"    // a declined unit outweighs a captured one
	bugChargeScopeDecides  plantedBug = "charge_scope_decides" // a decline that only the charge ties decides
	bugUnclearIsNo         plantedBug = "unclear_is_no"        // a 404 without control, or of another key, is an absence
)
