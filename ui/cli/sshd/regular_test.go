//go:build unix

package sshd

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestKeysAreReadOnlyFromRegularFiles(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	check(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/zero"} {
		if _, _, err := HostKey(path); err == nil || !strings.Contains(err.Error(), "it is not a file") {
			t.Errorf("host key %s: %v", path, err)
		}
		if _, err := OpenKeys(path); err == nil || !strings.Contains(err.Error(), "it is not a file") {
			t.Errorf("authorized_keys %s: %v", path, err)
		}
	}
}
