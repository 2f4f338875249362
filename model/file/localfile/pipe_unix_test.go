//go:build unix

package localfile

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

func TestPipesAndDevicesAreNotRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "certificate.pdf")
	must.Succeed(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(t.TempDir(), "link")
	must.Succeed(t, os.Symlink(pipe, link))
	for _, path := range []string{pipe, link, "/dev/zero", "/dev/random", "/dev/tty"} {
		must.Equal(t, Copy(io.Discard, path, 1<<20), ErrNotRegular, path)
	}
	// The path led to a file when it was looked at, and to a pipe when it was
	// opened.
	file, err := openChecked(pipe, 1<<20)
	must.Hold(t, file == nil && err == ErrNotRegular, "a pipe is opened", err)
}
