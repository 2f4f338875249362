//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadRejectsIrregularAndLargeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, []byte("#"+strings.Repeat(" ", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "it is not a file", link: "it is not a file", large: "it is larger than 1 MiB", dir: "it is not a file"} {
		if _, err := Read(path, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.Truncate(large, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(large, true); err != nil {
		t.Error(err)
	}
}
