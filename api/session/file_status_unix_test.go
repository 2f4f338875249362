//go:build unix

package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPipesAndDevicesAreNotRead(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "certificate.pdf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero", "/dev/random", "/dev/tty"} {
		if got := VerifyFile(path, strings.Repeat("0", 64)); got != Altered {
			t.Errorf("%s: %d", path, got)
		}
	}
}
