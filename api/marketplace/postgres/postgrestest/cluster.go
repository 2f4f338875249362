// Package postgrestest starts temporary PostgreSQL servers for tests, with the installed
// programs. It can kill a server and promote a standby. Start reading at Database.
package postgrestest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

var errNotInstalled = errors.New("PostgreSQL is not installed: initdb and pg_ctl are neither in PATH nor in " +
	"/usr/lib/postgresql")

// programs returns the directory of the newest installed PostgreSQL.
func programs() (string, error) {
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(places, func(a, b string) int { return cmp.Compare(versionOf(b), versionOf(a)) })
	for _, dir := range append(places, filepath.SplitList(os.Getenv("PATH"))...) {
		_, noControl := exec.LookPath(filepath.Join(dir, "pg_ctl"))
		_, noInit := exec.LookPath(filepath.Join(dir, "initdb"))
		if noControl == nil && noInit == nil {
			return dir, nil
		}
	}
	return "", errNotInstalled
}

func versionOf(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// Cluster is a temporary PostgreSQL server with its data directory. It ends with the test
// program at the latest, even if that is killed.
type Cluster struct {
	port     int
	dir, bin string
	as       *syscall.SysProcAttr
	// end stops the server and deletes the directory.
	end  func() error
	pool *pgxpool.Pool
}

// superuser is the database user. It needs no password.
const superuser = "tonne"

// start makes the data directory of a server with fill, and starts the server.
func start(settings []string, fill func(*Cluster) error) (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tonne-postgres-*")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bin: bin, as: &syscall.SysProcAttr{Setpgid: true}}
	if os.Getuid() == 0 {
		// PostgreSQL refuses to run as root.
		err = c.runAs("postgres", "nobody")
	}
	for _, step := range []func(*Cluster) error{(*Cluster).guard, fill,
		func(c *Cluster) error { return c.boot(settings) }} {
		if err == nil {
			err = step(c)
		}
	}
	return c, err
}

// runAs selects the first of the named users that exists.
func (c *Cluster) runAs(names ...string) error {
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		c.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return errors.Join(uidErr, gidErr, os.Chown(c.dir, uid, gid))
	}
	return errors.New("found no user that can run a PostgreSQL server")
}

// guard starts a process that waits until its input ends: with end, or with the test program.
func (c *Cluster) guard() error {
	guard := exec.Command("sh", "-c", `cat; "$0/pg_ctl" -D "$1/data" -w -m immediate stop; rm -rf "$1"`, c.bin, c.dir)
	guard.SysProcAttr, guard.Dir = c.as, "/"
	in, err := guard.StdinPipe()
	if err != nil {
		return err
	}
	c.end = func() error { return errors.Join(in.Close(), guard.Wait()) }
	return guard.Start()
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) run(program string, args ...string) error {
	_, err := c.Output(program, args...)
	return err
}

// Output runs one of PostgreSQL's programs and returns its output.
func (c *Cluster) Output(program string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.SysProcAttr, cmd.Dir = c.as, c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	text, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", program, err, text)
	}
	return string(text), err
}

// boot starts the server on a free port of 127.0.0.1.
func (c *Cluster) boot(settings []string) (err error) {
	log := filepath.Join(c.dir, "log")
	for range 5 {
		// Another program may take the port before the server does.
		l, failed := net.Listen("tcp", "127.0.0.1:0")
		if failed != nil {
			return failed
		}
		c.port = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		options := fmt.Sprintf("-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=%s", c.port, c.dir)
		for _, s := range settings {
			options += " -c " + s
		}
		if err = c.run("pg_ctl", "-D", c.data(), "-w", "-l", log, "-o", options, "start"); err == nil {
			return nil
		}
	}
	text, _ := os.ReadFile(log)
	return fmt.Errorf("%w: %s", err, text)
}

func create(settings []string) (*Cluster, error) {
	return start(settings, func(c *Cluster) error {
		return c.run("initdb", "-D", c.data(), "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
	})
}

// Require starts a server that ends with the test, with settings such as "fsync=off". The test
// is skipped if PostgreSQL is not installed, unless TONNE_TEST_REQUIRE_POSTGRES is set.
func Require(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	return required(t)(create(settings))
}

func required(t testing.TB) func(c *Cluster, err error) *Cluster {
	return func(c *Cluster, err error) *Cluster {
		t.Helper()
		if errors.Is(err, errNotInstalled) && os.Getenv("TONNE_TEST_REQUIRE_POSTGRES") == "" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.pool == nil {
			t.Cleanup(func() { _ = c.end() })
		}
		return c
	}
}

// Standby starts a standby of this server. Use the name in synchronous_standby_names.
func (c *Cluster) Standby(t testing.TB, name string, settings ...string) *Cluster {
	t.Helper()
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=%s application_name=%s", c.port, superuser, name)
	return required(t)(start(settings, func(s *Cluster) error {
		return s.run("pg_basebackup", "-D", s.data(), "-d", from, "-R", "-X", "stream", "-c", "fast", "--no-sync")
	}))
}

// Promote makes a standby the primary server.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "-D", c.data(), "-w", "promote") }

// Kill kills the server and its child processes, as in a power failure.
func (c *Cluster) Kill() error {
	return exec.Command("sh", "-c", `pid=$(head -n 1 "$0/postmaster.pid"); kill -9 $pid $(pgrep -P $pid)`, c.data()).Run()
}

// Address returns the connection address of a database. Of several servers, a client connects
// to the one that accepts changes.
func Address(database string, servers ...*Cluster) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, fmt.Sprint("127.0.0.1:", s.port))
	}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: strings.Join(hosts, ","), Path: "/" + database,
		RawQuery: "sslmode=disable&target_session_attrs=read-write"}
	return u.String()
}

// Run runs statements outside a transaction.
func Run(ctx context.Context, address, statements string) error {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = pool.Exec(ctx, statements)
	return err
}

// Opening a connection costs the server as much as most tests do with it, so a test has few.
const fewConnections = "&pool_max_conns=4"

// shared is the server of Database. It would lose its data with the machine.
var shared = sync.OnceValues(func() (*Cluster, error) {
	c, err := create([]string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off",
		"max_connections=500", "shared_buffers=64MB"})
	if err == nil {
		c.pool, err = pgxpool.New(context.Background(), Address("postgres", c)+fewConnections)
	}
	return c, err
})

// Shared returns the server of Database.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	return required(t)(shared())
}

var made atomic.Int64

// add adds a database or a schema to the shared server.
func (c *Cluster) add(t testing.TB, kind, name, options string) string {
	t.Helper()
	if _, err := c.pool.Exec(t.Context(), "CREATE "+kind+" "+name+options); err != nil {
		t.Fatal(err)
	}
	return name
}

// Database returns the address of an empty database on a server that all tests of the package
// share: a new schema.
func Database(t testing.TB) string {
	t.Helper()
	c := Shared(t)
	address := Address("postgres", c) + "&search_path=" + c.add(t, "SCHEMA", fmt.Sprint("test_", made.Add(1)), "")
	if _, measured := t.(*testing.B); !measured {
		address += fewConnections
	}
	return address
}

// filled is the name of the database that Copy copies. If a test fails while it fills one, the next test fills another.
var filled struct {
	sync.Mutex
	name string
}

func (c *Cluster) filled(t testing.TB, fill func(address string)) string {
	t.Helper()
	filled.Lock()
	defer filled.Unlock()
	if filled.name == "" {
		name := c.add(t, "DATABASE", fmt.Sprint("filled_", made.Add(1)), "")
		fill(Address(name, c) + fewConnections)
		filled.name = name
	}
	return filled.name
}

// Copy returns the address of a copy of a database that fill has filled, once for all tests of the
// package.
func Copy(t testing.TB, fill func(address string)) string {
	t.Helper()
	c := Shared(t)
	from := " TEMPLATE " + c.filled(t, fill)
	if versionOf(c.bin) >= 15 {
		from += " STRATEGY file_copy"
	}
	return Address(c.add(t, "DATABASE", fmt.Sprint("copy_", made.Add(1)), from), c) + fewConnections
}
