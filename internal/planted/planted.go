// Package planted names the places around the write at which desfecho can be
// broken on purpose, to see that its tests notice. Without the build tag
// `planted` none ever is, and none costs anything. resolve, which imports
// nothing of the house but its words, has places of its own.
//
// It decides nothing and is asked by nobody else.
package planted

// Bug is one such place.
type Bug string

// The planted bugs.
const (
	DropStatus         Bug = "drop_status"           // the update does not ask for the status that was seen
	DropVersion        Bug = "drop_version"          // nor for the version
	DropUnit           Bug = "drop_unit"             // nor for the provider's object
	IgnoreMovedSibling Bug = "ignore_moved_sibling"  // another attempt of the charge may have been settled since
	CreditTwice        Bug = "credit_twice"          // an update that reached no row is followed up all the same
	IgnoreFollowUpRows Bug = "ignore_follow_up_rows" // a follow-up may touch any number of rows
	NoAudit            Bug = "no_audit"              // the write leaves no entry
	SettleByRead       Bug = "settle_by_read"        // a lost operation is looked for, not claimed
	AnyWrite           Bug = "any_write"             // from any status to any
	ReleaseEarly       Bug = "release_early"         // unknown is followed up as failed
	LocalClock         Bug = "local_clock"           // observations carry another clock's time
	AnyAccount         Bug = "any_account"           // an answer of another mode or account is taken for one
	NoControl          Bug = "no_control"            // a no needs no positive control
	SkipLastLook       Bug = "skip_last_look"        // what the screen said is written without looking again
	AnyAge             Bug = "any_age"               // a screen of any age may be confirmed
	AnyDigest          Bug = "any_digest"            // the last look may rest on other facts
	NoSecondPerson     Bug = "no_second_person"      // what needs approval is written without
	AssumeLanded       Bug = "assume_landed"         // a lost reply is taken for a yes
)
