package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"desfecho/internal/audit"
	"desfecho/internal/store"
)

// The refusals of desfecho.settle, by SQLSTATE.
const (
	refusedIntent   = "DF001"
	refusedIllegal  = "DF002"
	refusedChanged  = "DF003"
	refusedNoRow    = "DF004"
	refusedFollowUp = "DF005"
	refusedEvidence = "DF006"
	refusedApproval = "DF007"
	refusedUnitHeld = "DF008"
	refusedOtherOne = "DF009"
	refusedSibling  = "DF010"
)

// call lets the database's function do the whole write: this role may not
// write the attempts itself. Mark, digest and operator are those of the intent.
func (p *settling) call(ctx context.Context) (entry audit.Entry, err error) {
	w := p.write
	row := make([]*string, len(w.Seen.Row))
	for i := range w.Seen.Row {
		if !w.Seen.Row[i].Null {
			row[i] = &w.Seen.Row[i].Value
		}
	}
	siblings := []string{}
	for _, s := range w.Seen.Siblings {
		siblings = append(siblings, s.ID, s.Word, s.ProviderID)
	}
	err = p.tx.QueryRow(ctx, "SELECT "+auditColumns+` FROM desfecho.settle($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text[], $10::text[])`,
		p.store.configuration, w.OpID, w.Transition, w.Unit, w.Evidence, w.Reason, w.Program, w.Seen.Version, row, siblings).Scan(entryTargets(&entry)...)
	return entry, err
}

// refusal turns what the function raised into what a person can act on; nil
// where it is none of the function's own.
func (p *settling) refusal(ctx context.Context, told *pgconn.PgError) error {
	moved := &store.MovedError{Attempt: p.write.Attempt, Detail: told.Message}
	switch told.Code {
	case refusedIntent, refusedEvidence, refusedApproval, refusedOtherOne:
		moved.Cause = store.CauseRefused
	case refusedIllegal:
		moved.Cause = store.CauseIllegal
	case refusedUnitHeld:
		moved.Cause, moved.By = store.CauseUnitHeld, told.Detail
	case refusedFollowUp:
		moved.Cause = store.CauseFollowUp
		var follow store.FollowUpError
		var step int
		if n, _ := fmt.Sscan(told.Detail, &step, &follow.Rows); n == 2 && step < len(p.effect.Steps) {
			follow.SQL = p.effect.Steps[step].Shown(p.write.Values())
			moved.Detail = follow.Error()
		}
	case refusedSibling:
		return p.whichMoved(ctx)
	case refusedChanged, refusedNoRow:
		moved.Detail = ""
		err := p.whatStands(ctx, moved)
		if moved.Cause == store.CauseHidden && told.Code == refusedChanged {
			moved.Cause = store.CauseChanged // in a column that the version does not cover
		}
		return err
	case "42883", "42501":
		if strings.Contains(told.Message, "desfecho.settle(") || strings.Contains(told.Message, "function settle") {
			return fmt.Errorf("settle attempt %s: nothing was written: the function that writes is not there, or not for this login; apply `desfecho schema --roles`: %w",
				p.write.Attempt, explain(told))
		}
		return nil
	default:
		return nil
	}
	return moved
}
