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

// deskWith starts the dashboard on the service of the tests, with a directory
// for temporary files of its own.
func deskWith(t *testing.T, temp, which string, env ...string) *program {
	t.Helper()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	return start(t, t.TempDir(), append([]string{
		programVariable + "=" + which, "TMPDIR=" + temp, "TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey,
	}, env...))
}

// only returns the one file of a directory, which must be for its owner alone,
// and what is in it.
func only(t *testing.T, dir, pattern string) (path, text string) {
	t.Helper()
	found := files(t, dir)
	if len(found) != 1 {
		t.Fatalf("there are %v, want one file", found)
	}
	if match, err := filepath.Match(pattern, filepath.Base(found[0])); err != nil || !match {
		t.Fatalf("there is %s, want %s", found[0], pattern)
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

// keyless checks that a text has nothing of the key: neither as it is, nor as
// bytes in hexadecimal, nor as words of memory.
func keyless(t *testing.T, text string) {
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
			t.Errorf("the key is in the file, as %s", form)
		}
	}
}

func TestQUITAndABRTRestoreTheTerminalAndLeaveTheStacksInAFile(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			p := deskWith(t, temp, soundProgram).read()
			p.await("6.20")
			p.signal(signal)
			if status := p.end(); status != want {
				t.Errorf("status %d, want %d:\n%q", status, want, tail(p.written()))
			}
			path, text := only(t, temp, "tonne-stacks-*.txt")
			p.await("ended by " + signal.String() + "; where it was is in " + path + ".")
			if left, said := strings.LastIndex(p.written(), "\x1b[?1049l"), strings.Index(p.written(), path); said < left {
				t.Error("the file is named on the dashboard's screen")
			}
			p.restored()
			if !strings.Contains(text, "goroutine ") || !strings.Contains(text, "tonne/api/session.(*loop).run+") {
				t.Errorf("the stacks do not say where the feed is:\n%s", text)
			}
			keyless(t, text)
		})
	}
}

func TestQUITEndsTheDashboardOnATerminalThatIsStalled(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	p := deskWith(t, temp, soundProgram)
	p.stall()
	p.signal(syscall.SIGQUIT)
	if status := p.end(); status != 131 {
		t.Errorf("status %d", status)
	}
	p.modesRestored()
	only(t, temp, "tonne-stacks-*.txt")
}

func TestWhereTheRuntimeCouldNotGoOnIsInTheLog(t *testing.T) {
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
	_, text := only(t, temp, "log.txt")
	if !strings.Contains(text, "[running]:\ninternal/sync.fatal(") || !strings.Contains(text, "tonne/ui.(*App).") {
		t.Errorf("the file says\n%s", text)
	}
	keyless(t, text)
}
