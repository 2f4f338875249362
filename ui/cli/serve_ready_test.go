//go:build linux

package cli

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestServeReportsReadiness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket, err := net.ListenPacket("unixgram", filepath.Join(dir, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(dir, "market.db")
	service := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--db", db)
	service.Env = append(environment(dir), "NOTIFY_SOCKET="+socket.LocalAddr().String())
	address := strings.TrimPrefix(startServing(t, service)["listening"], "http://")

	if err := socket.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	message := make([]byte, 64)
	n, _, err := socket.ReadFrom(message)
	if err != nil || string(message[:n]) != "READY=1" {
		t.Errorf("notification is %q, %v", message[:n], err)
	}
	check := func(status int, text string) {
		t.Helper()
		if r := w.run("serve", "--check", "--listen", address); r.status != status || !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("status %d, want %d: %s%s", r.status, status, r.stdout, r.stderr)
		}
	}
	check(0, "ready\n")
	if err := os.Rename(db, db+".away"); err != nil {
		t.Fatal(err)
	}
	check(1, "answers 503: Not ready: a file of the database")
	_ = service.Process.Kill()
	_ = service.Wait()
	check(1, "no service answers on "+address)
	if r := w.run("serve", "--check", "--listen", "nowhere"); r.status != 2 {
		t.Errorf("address without a port: status %d, %s", r.status, r.stderr)
	}
}
