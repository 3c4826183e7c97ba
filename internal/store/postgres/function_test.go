package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"desfecho/internal/pgtest"
	"desfecho/internal/store"
	"desfecho/internal/store/storetest"
	"desfecho/reconcile"
)

// oneAtATime: roles are of the whole server, and are made if they are not there.
var oneAtATime sync.Mutex

func makeRoles(tb testing.TB, d database, sql string) {
	tb.Helper()
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	d.Exec(tb, sql)
}

func usualTerms() Terms {
	return Terms{Policies: []reconcile.Policy{reconcile.NewPolicy("stripe")}, ApprovalTTL: 24 * time.Hour}
}

// makeLogin makes a login that may do nothing yet.
func makeLogin(tb testing.TB, d database) string {
	tb.Helper()
	login := "u_" + nameOf(tb, d.url)
	makeRoles(tb, d, "DO $$ BEGIN CREATE ROLE "+login+" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;")
	return login
}

// resolverOf makes a login that may do what desfecho_resolve may, and the
// function.
func resolverOf(tb testing.TB, d database, description *store.Description, terms Terms) string {
	tb.Helper()
	sql, err := Roles(description, &terms)
	if err != nil {
		tb.Fatal(err)
	}
	login := makeLogin(tb, d)
	makeRoles(tb, d, sql+"GRANT desfecho_resolve TO "+login)
	return login
}

// guarded is a database in which only the function writes the attempts.
type guarded struct {
	database
	tb testing.TB
}

func (d guarded) Open(ctx context.Context, description *store.Description, trace func(string)) (store.Store, error) {
	by := *description
	by.WriteBy = store.ByFunction
	login := makeLogin(d.tb, d.database)
	terms := usualTerms()
	s, err := Open(ctx, Options{URL: pgtest.Server(d.tb).URL(login, nameOf(d.tb, d.url)), Attempts: &by, Terms: &terms, Trace: trace})
	return &resolving{s, d, &by}, err
}

// resolving is such a login's store; its tables are made by the owner.
type resolving struct {
	*Store
	d  guarded
	by *store.Description
}

func (r *resolving) Migrate(ctx context.Context) ([]string, error) {
	owner, err := Open(ctx, Options{URL: r.d.url})
	if err != nil {
		return nil, err
	}
	defer owner.Close()
	made, err := owner.Migrate(ctx)
	if err == nil {
		resolverOf(r.d.tb, r.d.database, r.by, usualTerms())
	}
	return made, err
}

// TestContractByFunction: the function keeps every law of settling that
// desfecho itself keeps, for a login that may not write the attempts.
func TestContractByFunction(t *testing.T) {
	t.Parallel()
	storetest.Settling(t, func(tb testing.TB) storetest.Database { return guarded{database{url: pgtest.Database(tb)}, tb} })
}
