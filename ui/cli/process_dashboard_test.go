//go:build unix

package cli

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	must "tonne/model/musttest"
)

// startDashboard starts the dashboard with the test service, in a home directory and with a
// directory for temporary files.
func startDashboard(t *testing.T, env ...string) (p *program, temp string) {
	t.Helper()
	temp = t.TempDir()
	return startAt(t, 120, 36, withService(t, append(env, "TMPDIR="+temp)...), os.Args[0]), temp
}

// shellDashboard runs a line of shell in which "$0" is the dashboard with the test service.
func shellDashboard(t *testing.T, line string, args ...string) *program {
	t.Helper()
	return startAt(t, 120, 36, withService(t), "/bin/sh", append([]string{"-c", line, os.Args[0]}, args...)...).read()
}

// ends checks the exit status of a program, that the terminal is restored, and that the key
// was not written.
func (p *program) ends(want int) {
	p.t.Helper()
	p.end(want)
	p.restored()
	must.Hold(p.t, !strings.Contains(p.written(), testKey), "the key is on the screen")
}

func TestDemoLeavesNoFiles(t *testing.T) {
	t.Parallel()
	home, temp := t.TempDir(), t.TempDir()
	p := start(t, home, []string{"TMPDIR=" + temp}, "demo").read()
	p.await("Market", "\x1b[?1049h", "Alder Bank Wind")
	p.await(" ago: $") // time of the last price move
	before, _, _ := strings.Cut(p.written(), "\x1b[?1049h")
	must.Equal(t, strings.TrimSpace(ansi.Strip(before)), "", "output before the dashboard", before)
	p.press("q")
	p.ends(0)
	left := append(files(t, home), files(t, temp)...)
	must.Hold(t, len(left) == 0, "left behind", left)
}

func files(t *testing.T, dir string) (found []string) {
	t.Helper()
	must.Succeed(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, path)
		}
		return err
	}))
	return found
}

func TestKeptDemoLocksItsDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	p := start(t, t.TempDir(), nil, "demo", "--keep", dir).read()
	p.await("Alder Bank Wind")
	db := filepath.Join(dir, "demo.db")
	w := newWorld(t, nil).unconfigured()
	r := w.run("serve", "--listen", "127.0.0.1:0", "--db", db)
	must.Hold(t, r.status == 1 && strings.Contains(r.stderr, "serves "+db), "status", r.status, r.stderr)
	p.press("q")
	p.ends(0)
	r = w.serveBriefly("--db", db)
	must.Equal(t, r.status, 143, "after the demo: status", r.stderr)
}

func TestSignalsRestoreTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal  syscall.Signal
		stalled bool
		want    int
	}{
		"TERM": {syscall.SIGTERM, false, 143}, "HUP": {syscall.SIGHUP, false, 129}, "Ctrl-C": {0, false, 130},
		"ABRT":          {syscall.SIGABRT, false, 134},
		"TERM, stalled": {syscall.SIGTERM, true, 143}, "QUIT, stalled": {syscall.SIGQUIT, true, 131},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, temp := startDashboard(t)
			if c.stalled {
				p.stall()
			} else {
				p.read().await("6.20")
			}
			if c.signal == 0 {
				p.press("\x03")
			} else {
				p.signal(c.signal)
			}
			p.end(c.want)
			p.modesRestored()
			if !c.stalled {
				p.restored()
			}
			if c.want != 131 && c.want != 134 {
				return
			}
			path, text := onlyFile(t, temp, "tonne-stacks-*.txt")
			must.Hold(t, containsAll(text, "goroutine ", "tonne/api/session.(*loop).run+"),
				"the stacks lack the loop of the session", text)
			checkNoKey(t, text)
			if c.stalled {
				return
			}
			p.await("ended by " + c.signal.String() + "; the stack traces are in " + path + ".")
			left, named := strings.LastIndex(p.written(), "\x1b[?1049l"), strings.Index(p.written(), path)
			must.Hold(t, named >= left, "the file is named before the dashboard's screen is left")
		})
	}
}

// The kernel sends HUP to the shell of the terminal's session, which may not pass it on.
func TestClosedTerminalEndsDashboard(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{"the dashboard": withService(t),
		"the first run": environment(t.TempDir())} {
		for _, leader := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, leader of its session: %v", name, leader), func(t *testing.T) {
				t.Parallel()
				p := startIn(t, &syscall.SysProcAttr{Setsid: true, Setctty: leader}, 120, 36, env, os.Args[0]).read()
				p.await("\x1b[?1049h")
				must.Succeed(t, p.master.Close())
				// The kernel closes the terminal when the current read has ended.
				_, _ = p.slave.WriteString(" ")
				must.Succeed(t, p.slave.Close())
				p.end(129)
			})
		}
	}
}

func TestInvalidKeyBindingIsConfigurationError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	file := w.write("config.toml", "[keys]\n\"no.such.binding\" = \"x\"\n")
	p := start(t, w.env["HOME"], []string{"TONNE_CONFIG=" + file}, "demo").read()
	p.ends(2)
	p.await("no.such.binding")
}

func TestDashboardDrawsAfterLateResize(t *testing.T) {
	t.Parallel()
	p := startAt(t, 0, 0, withService(t), os.Args[0]).read()
	p.await("\x1b[?1049h")
	p.resize(120, 36)
	p.await("6.20")
	p.press("q")
	p.ends(0)
}

func TestDashboardStartsOffline(t *testing.T) {
	t.Parallel()
	server, home := httptest.NewServer(new(service)), t.TempDir()
	for _, c := range []struct {
		key   string
		sees  []string
		lacks string
	}{{testKey, []string{"6.20", "live"}, "⚠"}, {testKey, []string{"6.20", "⚠ stale ", "connection refused"}, "● "},
		{"another-key", []string{"connection refused"}, "6.20"}} {
		p := start(t, home, []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + c.key}).read()
		for _, text := range c.sees {
			p.await(text)
		}
		p.press("q")
		p.ends(0)
		must.Hold(t, !strings.Contains(p.written(), c.lacks), c.key, c.lacks, "is on the screen")
		server.Close()
	}
}

// onlyFile checks that a directory has one file, with mode 0600, and returns it.
func onlyFile(t *testing.T, dir, pattern string) (path, text string) {
	t.Helper()
	found := files(t, dir)
	must.Need(t, len(found) == 1, "files are", found, "want one")
	match, info := must.Get(filepath.Match(pattern, filepath.Base(found[0]))), must.Get(os.Stat(found[0]))
	must.Need(t, match && info.Mode().Perm() == 0o600,
		"the file is", found[0], "with mode", info.Mode(), "want", pattern)
	return found[0], string(must.Get(os.ReadFile(found[0])))
}

// checkNoKey checks that a text does not contain the key: not as text, not in hexadecimal,
// and not as words of memory.
func checkNoKey(t *testing.T, text string) {
	t.Helper()
	text = strings.ToLower(text)
	forms := []string{testKey, hex.EncodeToString([]byte(testKey))}
	for at := range len(testKey) - 7 {
		piece := []byte(testKey[at : at+8])
		forms = append(forms, fmt.Sprintf("%x", binary.LittleEndian.Uint64(piece)),
			fmt.Sprintf("%x", binary.BigEndian.Uint64(piece)),
			fmt.Sprintf("%x", binary.LittleEndian.Uint32(piece)))
	}
	for _, form := range forms {
		must.Hold(t, !strings.Contains(text, form), "the file contains the key, as", form)
	}
}

func TestBrokenDashboardRestoresTerminalAndLogsStack(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]struct {
		status int
		stack  string
	}{brokenProgram: {1, "goroutine "}, fatalProgram: {2, "[running]:\ninternal/sync.fatal("}} {
		mark, log := filepath.Join(t.TempDir(), "break"), filepath.Join(t.TempDir(), "debug.log")
		p, _ := startDashboard(t, programVariable+"="+program, "TONNE_TEST_BREAK="+mark, "TONNE_TEST_DEBUG="+log)
		p.read().await("6.20")
		must.Succeed(t, os.WriteFile(mark, nil, 0o600))
		p.press("jk")
		p.end(want.status)
		_, text := onlyFile(t, filepath.Dir(log), "debug.log")
		must.Hold(t, containsAll(text, want.stack, "tonne/ui.(*App)."), "the debug log has no stack", text)
		checkNoKey(t, text)
		if program == brokenProgram {
			p.await("tonne stopped because of an internal error")
			p.restored()
		}
	}
}

// Without a terminal there is nothing left to draw on, so the dashboard ends even if its
// parent made it ignore the signal.
func TestIgnoredSIGHUPStillEndsDashboard(t *testing.T) {
	t.Parallel()
	p := shellDashboard(t, `trap '' HUP; exec "$0"`)
	p.await("6.20")
	p.signal(syscall.SIGHUP)
	p.end(129)
}

func TestCtrlZSuspendsAndResumes(t *testing.T) {
	t.Parallel()
	p := shellDashboard(t, `set -m; "$0"; echo BACK IN THE SHELL; fg; exit $?`)
	p.await("6.20")
	p.press("\x1a")
	p.await("BACK IN THE SHELL")
	before, _, _ := strings.Cut(p.written(), "BACK IN THE SHELL")
	must.Hold(t, strings.Contains(before, "\x1b[?1049l"), "the shell is on the dashboard's screen")
	p.awaitAfter("BACK IN THE SHELL", "6.20")
	p.press("q")
	p.ends(0)
	must.Hold(t, !strings.Contains(p.written(), "no shell to go back to"),
		"the dashboard reports that there is no shell")
}

func TestCtrlZWithoutShellKeepsDashboard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, screen, message string }{
		"session leader":        {`exec "$0"`, "6.20", "no shell to go back to"},
		"signal ignored":        {`set -m; (trap '' TSTP; exec "$0")`, "6.20", "no shell to go back to"},
		"no shell in its group": {`"$0"; exit $?`, "6.20", "no shell to go back to"},
		"first run":             {`unset TONNE_BASE_URL; exec "$0"`, "Look around in the demo", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := shellDashboard(t, c.script)
			p.await(c.screen)
			p.press("\x1a")
			p.await(c.message)
			p.awaitAfter("\x1b[?1049l", c.screen)
			p.press("q")
			p.ends(0)
		})
	}
}

// fullPipe returns a named pipe whose buffer is full.
func fullPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, syscall.Mkfifo(path, 0o600))
	pipe := must.Get(syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK, 0))
	t.Cleanup(func() { _ = syscall.Close(pipe) })
	for {
		if _, err := syscall.Write(pipe, make([]byte, 4096)); err != nil {
			return path
		}
	}
}

// The program blocks while it exits, because nothing reads its standard error.
func TestResumeWhileExitingKeepsTerminalRestored(t *testing.T) {
	t.Parallel()
	p := shellDashboard(t, `exec "$0" 2>"$1"`, fullPipe(t))
	p.await("Retirements")
	p.press("\x1a")
	const left = "\x1b[?1049l"
	p.await(left)
	p.signal(syscall.SIGQUIT)
	p.awaitAfter(left, left)
	p.signal(syscall.SIGCONT)
	p.ends(131)
}
