//go:build unix

package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

const hashOfA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

func TestFilesAreVerifiedByTheirHash(t *testing.T) {
	dir := t.TempDir()
	path, large := filepath.Join(dir, "c.pdf"), filepath.Join(dir, "large.pdf")
	err := errors.Join(os.WriteFile(path, []byte("a"), 0o600), os.WriteFile(large, nil, 0o600),
		os.Truncate(large, retirement.LargestCertificate+1))
	must.Succeed(t, err)
	for at, want := range map[string]session.FileStatus{
		path: session.Unchanged, large: session.Altered, dir: session.Altered, filepath.Join(dir, "absent"): session.Gone,
	} {
		must.Equal(t, session.VerifyFile(at, hashOfA), want, at)
	}
}

func TestPipesAndDevicesAreNotRead(t *testing.T) {
	pipe, link := filepath.Join(t.TempDir(), "certificate.pdf"), filepath.Join(t.TempDir(), "link")
	must.Succeed(t, syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link))
	for _, path := range []string{pipe, link, "/dev/zero", "/dev/random", "/dev/tty"} {
		must.Equal(t, session.VerifyFile(path, hashOfA), session.Altered, path)
	}
}
