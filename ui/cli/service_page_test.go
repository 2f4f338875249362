//go:build unix

package cli

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// shellBlocks returns the sh code blocks of a page.
func shellBlocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// freePort returns a free TCP port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestCommandsOfServicePageSucceed runs the commands of docs/service.md with an empty home
// and another port.
func TestCommandsOfServicePageSucceed(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	home, port := t.TempDir(), freePort(t)
	if err := os.Symlink(executable(t), filepath.Join(home, "tonne")); err != nil {
		t.Fatal(err)
	}
	blocks := shellBlocks(t, projectRoot+"/docs/service.md")
	script := strings.ReplaceAll(strings.Join(blocks[:len(blocks)-1], ""), ":8080", ":"+port)
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script+"\necho REQUEST $REQUEST KEY $KEY")
	cmd.Dir, cmd.Env = home, environment(home, "PATH="+home+":"+os.Getenv("PATH"), "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) })
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "serve.log"))
		t.Fatalf("%v:\n%s\nlog of the service:\n%s", err, out, log)
	}
	words := strings.Fields(string(out[strings.LastIndex(string(out), "REQUEST "):]))
	request, key := words[1], words[3]
	for _, want := range []string{"COMPLETE", "19334-940082955-940082994-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0", `"retiree_name":"Acme Ltd"`, `"price_cents":"620"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
	if saved, err := filepath.Glob(filepath.Join(home, "*.pdf")); err != nil || len(saved) != 1 {
		t.Errorf("certificates %q, %v", saved, err)
	}
	p := start(t, home, []string{"TONNE_BASE_URL=http://127.0.0.1:" + port, "TONNE_API_KEY=" + key}).read()
	p.await("Bale Mountains")
	p.press("3")
	p.press("+")
	p.press(request + "\r")
	p.await("COMPLETE")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("dashboard: exit status %d", status)
	}
	if blocks[len(blocks)-1] != "kill \"$SERVICE\"\n" {
		t.Error("the page does not end the service")
	}
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
