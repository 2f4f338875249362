//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startServing starts a service and returns its output by first word, once it listens.
func startServing(t testing.TB, cmd *exec.Cmd) map[string]string {
	t.Helper()
	out := must(cmd.StdoutPipe())
	check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	values := make(map[string]string)
	for lines := bufio.NewScanner(out); values["listening"] == "" && lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		values[word] = strings.TrimPrefix(rest, "on ")
	}
	if values["listening"] == "" {
		t.Fatal("the service does not listen")
	}
	return values
}

func serveProcess(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = environment(home)
	return cmd
}

func TestServeRunsUntilSIGTERM(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := serveProcess(home, "--demo-data", "--live", "--advance", "1h")
	values := startServing(t, cmd)
	client := exec.Command(os.Args[0], "market", "-o", "csv")
	client.Env = environment(home, "TONNE_BASE_URL="+values["listening"], "TONNE_API_KEY="+values["key"])
	printed, err := client.Output()
	if err != nil || !bytes.HasPrefix(printed, []byte("project_id,project_name,vintage_id,")) {
		t.Errorf("%v: %s", err, printed)
	}
	endWith(t, cmd, 143, syscall.SIGTERM)
	if _, err := os.Stat(filepath.Join(home, "data", "tonne", "marketplace.db")); err != nil {
		t.Error(err)
	}
}

// endWith sends signals to a process and checks its exit status.
func endWith(t *testing.T, cmd *exec.Cmd, want int, signals ...os.Signal) {
	t.Helper()
	for _, s := range signals {
		check(t, cmd.Process.Signal(s))
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != want {
		t.Errorf("status %d, want %d", status, want)
	}
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT; exec "$0" serve --listen 127.0.0.1:0`, os.Args[0])
	cmd.Env = environment(t.TempDir())
	startServing(t, cmd)
	endWith(t, cmd, 143, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
}

func TestSecondServiceOnDatabaseIsRejected(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	service := serveProcess(t.TempDir(), "--db", o.db)
	startServing(t, service)
	r := o.run("serve", "--listen", "127.0.0.1:0", "--db", o.db)
	if what, todo := r.sentences(t); r.status != 1 || !strings.Contains(what, "serves "+o.db) || !strings.Contains(todo, "--db") || r.stdout != "" {
		t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	for _, args := range []string{"keys create --tenant Acme␣Ltd", "orders list", "close-month", "backup " + o.db + ".copy", "move --to " + o.db + ".moved"} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "␣", " ")
		}
		o.must(append([]string{"serve", "--db", o.db}, words...)...)
	}
	if r := o.serveBriefly("--db", o.db+".copy"); r.status != 143 {
		t.Errorf("service with another file: status %d, %s", r.status, r.stderr)
	}
	endWith(t, service, -1, os.Kill)
	for range 2 {
		if r := o.serveBriefly("--db", o.db); r.status != 143 {
			t.Errorf("after the service was killed: status %d, %s", r.status, r.stderr)
		}
	}
	if lock := must(os.Stat(o.db + "-lock")); lock.Size() != 0 || lock.Mode() != 0o600 {
		t.Errorf("%+v", lock)
	}
}

func TestServeReportsReadiness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := must(net.ListenPacket("unixgram", filepath.Join(dir, "notify")))
	defer socket.Close()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(dir, "market.db")
	service := serveProcess(dir, "--db", db)
	service.Env = append(service.Env, "NOTIFY_SOCKET="+socket.LocalAddr().String())
	address := strings.TrimPrefix(startServing(t, service)["listening"], "http://")

	check(t, socket.SetReadDeadline(time.Now().Add(timeout)))
	message := make([]byte, 64)
	n, _, err := socket.ReadFrom(message)
	if err != nil || string(message[:n]) != "READY=1" {
		t.Errorf("notification is %q, %v", message[:n], err)
	}
	ready := func(address string, status int, text string) {
		t.Helper()
		if r := w.run("serve", "--check", "--listen", address); r.status != status || !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("status %d, want %d: %s%s", r.status, status, r.stdout, r.stderr)
		}
	}
	ready(address, 0, "ready\n")
	check(t, os.Rename(db, db+".away"))
	ready(address, 1, "answers 503: Not ready: a file of the database")
	endWith(t, service, -1, os.Kill)
	ready(address, 1, "no service answers on "+address)
	ready("nowhere", 2, "")
}
