// Package postgrestest starts temporary PostgreSQL servers for tests, with the installed
// programs. It can kill a server and promote a standby. Start reading at Start.
package postgrestest

import (
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
	"syscall"
)

// ErrNotInstalled is returned if PostgreSQL is not installed.
var ErrNotInstalled = errors.New("PostgreSQL is not installed: initdb and pg_ctl are neither in PATH nor in /usr/lib/postgresql")

// programs returns the directory of the newest installed PostgreSQL.
func programs() (string, error) {
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(places, func(a, b string) int { return versionOf(b) - versionOf(a) })
	for _, dir := range append(places, filepath.SplitList(os.Getenv("PATH"))...) {
		if _, err := exec.LookPath(filepath.Join(dir, "pg_ctl")); err == nil {
			if _, err := exec.LookPath(filepath.Join(dir, "initdb")); err == nil {
				return dir, nil
			}
		}
	}
	return "", ErrNotInstalled
}

func versionOf(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// Cluster is a temporary PostgreSQL server with its data directory.
type Cluster struct {
	// Port is the port of the server on 127.0.0.1.
	Port     int
	dir, bin string
	as       *syscall.SysProcAttr
	killed   bool
}

// superuser is the database user. It needs no password.
const superuser = "tonne"

// Start creates and starts a server with settings such as "fsync=off". Call End to remove it.
// The error is ErrNotInstalled if PostgreSQL is not installed.
func Start(settings ...string) (*Cluster, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	err = c.run("initdb", "-D", c.data(), "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
	if err == nil {
		err = c.Boot(settings...)
	}
	if err != nil {
		return nil, errors.Join(err, c.End())
	}
	return c, nil
}

// newCluster runs the server as another user if the test runs as root, because PostgreSQL
// refuses to run as root.
func newCluster() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tonne-postgres-*")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bin: bin}
	if os.Getuid() == 0 {
		if err := c.runAs("postgres", "nobody"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return c, nil
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
		if err := errors.Join(uidErr, gidErr, os.Chown(c.dir, uid, gid)); err != nil {
			return err
		}
		c.as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return nil
	}
	return errors.New("found no user that can run a PostgreSQL server")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) run(program string, args ...string) error {
	_, err := c.Output(program, args...)
	return err
}

// Output runs one of PostgreSQL's programs and returns its output.
func (c *Cluster) Output(program string, args ...string) (output string, err error) {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.SysProcAttr, cmd.Dir = c.as, c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	// pg_ctl start leaves a server running, which would keep a pipe open: so use a file.
	out, err := os.CreateTemp(c.dir, program)
	if err != nil {
		return "", err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	text, _ := os.ReadFile(out.Name())
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, text)
	}
	return string(text), nil
}

// Boot starts the server on a free port.
func (c *Cluster) Boot(settings ...string) error {
	var err error
	for range 5 {
		if c.Port, err = freePort(); err != nil {
			return err
		}
		options := fmt.Sprintf("-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=%s", c.Port, c.dir)
		for _, s := range settings {
			options += " -c " + s
		}
		if err = c.run("pg_ctl", "-D", c.data(), "-w", "-l", filepath.Join(c.dir, "log"), "-o", options, "start"); err == nil {
			return nil
		}
	}
	log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	return fmt.Errorf("%w: %s", err, log)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// Standby creates and starts a standby of this server. Use the name in
// synchronous_standby_names.
func (c *Cluster) Standby(name string, settings ...string) (*Cluster, error) {
	s, err := newCluster()
	if err != nil {
		return nil, err
	}
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=%s application_name=%s", c.Port, superuser, name)
	err = s.run("pg_basebackup", "-D", s.data(), "-d", from, "-R", "-X", "stream", "-c", "fast", "--no-sync")
	if err == nil {
		err = s.Boot(settings...)
	}
	if err != nil {
		return nil, errors.Join(err, s.End())
	}
	return s, nil
}

// Promote makes a standby the primary server.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "-D", c.data(), "-w", "promote") }

// Kill kills the server and its child processes, as in a power failure.
func (c *Cluster) Kill() error {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	children := childrenOf(server)
	c.killed = true
	err = syscall.Kill(server, syscall.SIGKILL)
	for _, pid := range children {
		// The process may have ended already.
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return err
}

// childrenOf returns the child processes according to /proc. On systems without /proc they end
// by themselves after the server.
func childrenOf(parent int) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, after, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// End stops the server and deletes its directory.
func (c *Cluster) End() error {
	var err error
	if _, there := os.Stat(filepath.Join(c.data(), "postmaster.pid")); there == nil && !c.killed {
		err = c.run("pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "stop")
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// Address returns the connection address of a database. Of several servers, a client connects
// to the one that accepts changes.
func Address(database string, servers ...*Cluster) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, fmt.Sprint("127.0.0.1:", s.Port))
	}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: strings.Join(hosts, ","), Path: "/" + database,
		RawQuery: "sslmode=disable&target_session_attrs=read-write"}
	return u.String()
}
