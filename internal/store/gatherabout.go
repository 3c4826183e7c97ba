package store

import (
	"context"
	"errors"

	"desfecho/reconcile"
)

// GatherAbout reads all that a decision about one attempt rests on, whatever
// the window: its charge's other attempts, whatever shares a key with them,
// their units and lines of any day, look-alikes, coverage, look-ups, events and
// dismissals. ErrNoAttempt where there is none of the id.
func GatherAbout(ctx context.Context, source Source, reading *Reading, scope Scope, id string) (*Loaded, error) {
	g := newGathering(source, reading, scope)
	g.column(AttemptKey{Kind: ByID}, id)
	if err := g.close(ctx); err != nil {
		return nil, errors.Join(err, g.rows.Close())
	}
	if _, there := g.found.attempts[id]; !there {
		return nil, errors.Join(ErrNoAttempt, g.rows.Close())
	}
	loaded := &Loaded{Input: reconcile.Input{Now: scope.Now, Window: scope.Window, Policies: scope.Policies}}
	if err := g.finish(ctx, loaded); err != nil {
		return nil, errors.Join(err, g.rows.Close())
	}
	return loaded, loaded.Whole()
}
