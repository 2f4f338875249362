//go:build unix

package cli

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// startDashboardIn starts the dashboard with the test service and a directory for
// temporary files.
func startDashboardIn(t *testing.T, temp, which string, env ...string) *program {
	t.Helper()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	return start(t, t.TempDir(), append([]string{
		programVariable + "=" + which, "TMPDIR=" + temp, "TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey,
	}, env...))
}

// onlyFile checks that a directory has one file, with mode 0600, and returns it.
func onlyFile(t *testing.T, dir, pattern string) (path, text string) {
	t.Helper()
	found := files(t, dir)
	if len(found) != 1 {
		t.Fatalf("files are %v, want one", found)
	}
	if match, err := filepath.Match(pattern, filepath.Base(found[0])); err != nil || !match {
		t.Fatalf("the file is %s, want %s", found[0], pattern)
	}
	info, err := os.Stat(found[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", found[0], info.Mode(), err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return found[0], string(content)
}

// checkNoKey checks that a text does not contain the key: not as text, not in hexadecimal,
// and not as words of memory.
func checkNoKey(t *testing.T, text string) {
	t.Helper()
	text = strings.ToLower(text)
	forms := []string{testKey, hex.EncodeToString([]byte(testKey))}
	for at := range len(testKey) - 7 {
		piece := []byte(testKey[at : at+8])
		forms = append(forms, fmt.Sprintf("%x", binary.LittleEndian.Uint64(piece)), fmt.Sprintf("%x", binary.BigEndian.Uint64(piece)),
			fmt.Sprintf("%x", binary.LittleEndian.Uint32(piece)))
	}
	for _, form := range forms {
		if strings.Contains(text, form) {
			t.Errorf("the file contains the key, as %s", form)
		}
	}
}

func TestSIGQUITAndSIGABRTWriteStacksToFile(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			p := startDashboardIn(t, temp, soundProgram).read()
			p.await("6.20")
			p.signal(signal)
			if status := p.end(); status != want {
				t.Errorf("status %d, want %d:\n%q", status, want, tail(p.written()))
			}
			path, text := onlyFile(t, temp, "tonne-stacks-*.txt")
			p.await("ended by " + signal.String() + "; the stack traces are in " + path + ".")
			if left, named := strings.LastIndex(p.written(), "\x1b[?1049l"), strings.Index(p.written(), path); named < left {
				t.Error("the file is named before the dashboard's screen is left")
			}
			p.restored()
			if !strings.Contains(text, "goroutine ") || !strings.Contains(text, "tonne/api/session.(*loop).run+") {
				t.Errorf("the stacks lack the loop of the session:\n%s", text)
			}
			checkNoKey(t, text)
		})
	}
}

func TestSIGQUITEndsDashboardOnStalledTerminal(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	p := startDashboardIn(t, temp, soundProgram)
	p.stall()
	p.signal(syscall.SIGQUIT)
	if status := p.end(); status != 131 {
		t.Errorf("status %d", status)
	}
	p.modesRestored()
	onlyFile(t, temp, "tonne-stacks-*.txt")
}

func TestFatalErrorIsWrittenToDebugLog(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	mark, log := filepath.Join(t.TempDir(), "break"), filepath.Join(temp, "log.txt")
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	p := start(t, t.TempDir(), []string{
		programVariable + "=" + fatalProgram, "TONNE_TEST_BREAK=" + mark, "TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey,
	}, "--debug", log).read()
	p.await("6.20")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.press("jk")
	if status := p.end(); status != 2 {
		t.Errorf("status %d", status)
	}
	_, text := onlyFile(t, temp, "log.txt")
	if !strings.Contains(text, "[running]:\ninternal/sync.fatal(") || !strings.Contains(text, "tonne/ui.(*App).") {
		t.Errorf("the file contains\n%s", text)
	}
	checkNoKey(t, text)
}
