// Package postgrestest starts PostgreSQL servers of its own, for tests, from
// the programs that are installed.
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

// ErrNotInstalled is returned where there is no PostgreSQL.
var ErrNotInstalled = errors.New("PostgreSQL is not installed: its programs initdb and pg_ctl are neither in PATH nor below /usr/lib/postgresql")

// programs returns the directory of the programs of the newest PostgreSQL.
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

// Cluster is a PostgreSQL server with a directory of its own.
type Cluster struct {
	// Port is where it listens, on 127.0.0.1.
	Port     int
	dir, bin string
	as       *syscall.SysProcAttr
	killed   bool
}

// superuser is the user of the servers, who needs no password.
const superuser = "tonne"

// Start makes a server and starts it, with settings such as "fsync=off". End
// removes it. The error is ErrNotInstalled where there is no PostgreSQL.
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

// newCluster makes the directory of a server, for a user who may run one: the
// administrator may not.
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

// runAs makes the first of some users that there is run the server.
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
	return errors.New("no user may run a PostgreSQL server")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run is Output where nobody asks what was said.
func (c *Cluster) run(program string, args ...string) error {
	_, err := c.Output(program, args...)
	return err
}

// Output runs one of PostgreSQL's programs to its end, and returns what it said.
func (c *Cluster) Output(program string, args ...string) (said string, err error) {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.SysProcAttr, cmd.Dir = c.as, c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	// A server that goes on must not hold a pipe open that is read to its end.
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

// Standby makes a server that follows this one, by the name that
// synchronous_standby_names may give it.
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

// Promote makes a standby take changes.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "-D", c.data(), "-w", "promote") }

// Kill ends the server and all that it has started as a machine does that loses
// its power.
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
		// It may have ended meanwhile.
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return err
}

// childrenOf returns the processes that a process has started, where the system
// has them in /proc. Elsewhere they end by themselves when the server is gone.
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

// End ends the server and removes it.
func (c *Cluster) End() error {
	var err error
	if _, there := os.Stat(filepath.Join(c.data(), "postmaster.pid")); there == nil && !c.killed {
		err = c.run("pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "stop")
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// Address is how clients reach a database of the servers: of the one that takes
// changes, where there are several.
func Address(database string, servers ...*Cluster) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, fmt.Sprint("127.0.0.1:", s.Port))
	}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: strings.Join(hosts, ","), Path: "/" + database,
		RawQuery: "sslmode=disable&target_session_attrs=read-write"}
	return u.String()
}
