//go:build unix

package sshd

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

func TestKeysAreReadOnlyFromRegularFiles(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/zero"} {
		_, _, err := HostKey(path)
		must.Hold(t, err != nil && strings.Contains(err.Error(), "it is not a file"), "host key", path, err)
		_, err = OpenKeys(path)
		must.Hold(t, err != nil && strings.Contains(err.Error(), "it is not a file"), "authorized_keys", path, err)
	}
}
