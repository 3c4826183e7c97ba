package cmd

import (
	"strings"
	"testing"

	"desfecho/internal/pgtest"
)

// TestWhoIsOnCallSeesTheOrders: the roles that `schema --roles` makes read what
// the third column shows, and no other column of the orders.
func TestWhoIsOnCallSeesTheOrders(t *testing.T) {
	t.Parallel()
	s := postgresShop(t)
	s.file("desfecho.yaml", shopConfig+"orders: {read: orders, charge: charge_id, show: [{name: order, column: state}]}\n")
	s.exec("CREATE TABLE orders (charge_id text, state text, document text); INSERT INTO orders SELECT charge_id, 'shipped', 'secret' FROM attempts")
	s.must(0, "schema", "--apply")
	name := databaseName(t, s.url)
	s.exec(s.must(0, "schema", "--roles") + "CREATE ROLE oncall_" + name + " LOGIN IN ROLE desfecho_resolve;")
	s.url = pgtest.Server(t).URL("oncall_"+name, name)
	if told := s.must(0, "show", "1", "--offline"); !strings.Contains(told, "order shipped") {
		t.Error(told)
	}
	if told := pgtest.Server(t).SQL(t, name, "SELECT has_column_privilege('oncall_"+name+"', 'orders', 'document', 'SELECT')"); told != "f" {
		t.Error("every column may be read")
	}
}
