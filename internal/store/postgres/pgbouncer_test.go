package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"

	"desfecho/internal/pgtest"
	"desfecho/internal/store/storetest"
)

// The suite through a pooler in transaction mode, where the package is
// installed; CI installs it.
func TestContractThroughPgBouncer(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Log("pgbouncer is not installed: the suite did not run through it")
		return
	}
	folder := pooler(t, program)
	storetest.Run(t, func(tb testing.TB) storetest.Database {
		u, err := url.Parse(pgtest.Database(tb))
		if err != nil {
			tb.Fatal(err)
		}
		u.RawQuery = "host=" + folder + "&port=6432"
		return database{url: u.String()}
	})
}

// pooler starts PgBouncer before the test's cluster and gives the folder of
// its socket. It ends with its standard input, as the cluster does.
func pooler(t *testing.T, program string) string {
	t.Helper()
	folder := filepath.Join(pgtest.Server(t).Folder(), "pooler")
	config := fmt.Sprintf(`[databases]
* = host=%s user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %s
listen_port = 6432
auth_type = any
pool_mode = transaction
max_client_conn = 300
default_pool_size = 4
max_db_connections = 4
server_idle_timeout = 1
ignore_startup_parameters = extra_float_digits
logfile = %s/log
`, pgtest.Server(t).Folder(), folder, folder)
	cmd, err := pgtest.Command(context.WithoutCancel(t.Context()), "/bin/sh", "-c", `mkdir -p "$2" && cat >"$2/ini" <<EOF
`+config+`EOF
"$1" -q "$2/ini" </dev/null & pooler=$!
i=0; while [ $i -lt 200 ] && ! [ -S "$2/.s.PGSQL.6432" ]; do i=$((i+1)); sleep 0.05; done
echo started; read -r _; kill -TERM $pooler; wait $pooler`, "sh", program, folder)
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // ends the pooler
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatalf("the pooler did not start: %v", err)
	}
	return folder
}
