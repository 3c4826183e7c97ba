package probe

import (
	"context"

	"desfecho/internal/provider"
)

// Controlled tells whether a way to ask shows a unit that is known to exist:
// the positive control, without which its no counts for nothing. It is false
// too where no such unit is known; then nobody is asked.
func (a *Asker) Controlled(ctx context.Context, way provider.Lookup) (bool, error) {
	return a.controlled(ctx, way)
}
