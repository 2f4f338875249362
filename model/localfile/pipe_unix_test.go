//go:build unix

package localfile

import (
	"io"
	"os"
	"path/filepath"
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
		if err := Copy(io.Discard, path, 1<<20); err != ErrNotRegular {
			t.Errorf("%s: %v", path, err)
		}
	}
	// The path led to a file when it was looked at, and to a pipe when it was
	// opened.
	file, err := openChecked(pipe, 1<<20)
	if file != nil || err != ErrNotRegular {
		t.Errorf("a pipe is opened: %v", err)
	}
}
