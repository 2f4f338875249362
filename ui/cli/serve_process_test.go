//go:build unix

package cli

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// startServing starts a service and returns its output by first word, once it listens.
func startServing(t testing.TB, cmd *exec.Cmd) map[string]string {
	t.Helper()
	out := must.Get(cmd.StdoutPipe())
	must.Succeed(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	values := make(map[string]string)
	for lines := bufio.NewScanner(out); values["listening"] == "" && lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		values[word] = strings.TrimPrefix(rest, "on ")
	}
	must.Need(t, values["listening"] != "", "the service does not listen")
	return values
}

func serveProcess(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = environment(home)
	return cmd
}

// A signal that is ignored at the start stays ignored.
func TestServeRunsUntilSIGTERM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cmd := exec.Command("/bin/sh", "-c",
		`trap '' HUP INT; exec "$0" serve --listen 127.0.0.1:0 --demo-data --live --advance 1h`, os.Args[0])
	cmd.Env = environment(w.env["HOME"])
	values := startServing(t, cmd)
	w.env["TONNE_BASE_URL"], w.env["TONNE_API_KEY"] = values["listening"], values["key"]
	r := w.runChanged(t.Context(), func(p *command.Process) { p.Transport = nil }, "market", "-o", "csv")
	must.Hold(t, strings.HasPrefix(r.stdout, "project_id,project_name,vintage_id,"), r)
	endWith(t, cmd, 143, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	must.Get(os.Stat(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "marketplace.db")))
}

// endWith sends signals to a process and checks its exit status.
func endWith(t *testing.T, cmd *exec.Cmd, want int, signals ...os.Signal) {
	t.Helper()
	for _, s := range signals {
		must.Succeed(t, cmd.Process.Signal(s))
	}
	_ = cmd.Wait()
	status := cmd.ProcessState.ExitCode()
	must.Equal(t, status, want, "status")
}

func TestServeLocksItsDatabaseAndReportsReadiness(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	socket := must.Get(net.ListenPacket("unixgram", filepath.Join(t.TempDir(), "notify")))
	defer socket.Close()
	service := serveProcess(t.TempDir(), "--db", o.db)
	service.Env = append(service.Env, "NOTIFY_SOCKET="+socket.LocalAddr().String())
	address := strings.TrimPrefix(startServing(t, service)["listening"], "http://")
	must.Succeed(t, socket.SetReadDeadline(time.Now().Add(timeout)))
	message := make([]byte, 64)
	n, _, err := socket.ReadFrom(message)
	must.Hold(t, err == nil && string(message[:n]) == "READY=1", "notification is", message[:n], err)
	r := o.run("serve", "--listen", "127.0.0.1:0", "--db", o.db)
	what, todo := r.sentences(t)
	must.Hold(t,
		r.status == 1 && strings.Contains(what, "serves "+o.db) && strings.Contains(todo, "--db") && r.stdout == "",
		"status", r.status, r.stdout, r.stderr)
	for _, args := range []string{"keys create --tenant 'Acme Ltd'", "orders list", "close-month --yes",
		"backup " + o.db + ".copy"} {
		o.must(append([]string{"serve", "--db", o.db}, words(args)...)...)
	}
	// A copy would lack what the service changes later.
	r = o.run("serve", "--db", o.db, "move", "--to", o.db+".moved")
	must.Hold(t, r.status == 1 && strings.Contains(r.stderr, "serves "+o.db), r.status, r.stderr)
	ready := func(address string, status int, text string) {
		t.Helper()
		r := o.run("serve", "--check", "--listen", address)
		must.Hold(t, r.status == status && strings.Contains(r.stdout+r.stderr, text),
			"status", r.status, "want", status, r.stdout, r.stderr)
	}
	ready(address, 0, "ready\n")
	must.Succeed(t, os.Rename(o.db, o.db+".away"))
	ready(address, 1, "answers 503: Not ready: a file of the database")
	must.Succeed(t, os.Rename(o.db+".away", o.db))
	endWith(t, service, -1, os.Kill)
	ready(address, 1, "no service answers on "+address)
	ready("nowhere", 2, "")
	for _, db := range []string{o.db + ".copy", o.db, o.db} {
		r := o.serveBriefly("--db", db)
		must.Equal(t, r.status, 143, db, "after the service was killed: status", r.stderr)
	}
	lock := must.Get(os.Stat(o.db + "-lock"))
	must.Hold(t, lock.Size() == 0 && lock.Mode() == 0o600, lock)
}
