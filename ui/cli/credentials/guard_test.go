//go:build unix

package credentials

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

// newStore returns a store with one key, three directories below a temporary one.
func newStore(t *testing.T) *Store {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "home", "data", "keys"), nil)
	_, err := s.Save("", base, "secret")
	must.Succeed(t, err)
	return s
}

// checkRefused checks that the store refuses every operation because of a path.
func checkRefused(t *testing.T, s *Store, path, why string) {
	t.Helper()
	_, errRead := s.Accounts()
	_, errSave := s.Save("", base, "other")
	for name, err := range map[string]error{"read": errRead, "save": errSave, "forget": s.Forget("", base)} {
		var place *PlaceError
		must.Hold(t, errors.As(err, &place) && place.Path == path && strings.Contains(place.Why, why) && place.Todo != "",
			name, err, "want an error for", path, why)
	}
}

func TestStoreRejectsLooseFileModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o640, 0o604, 0o700, 0o750, 0o701} {
		s := newStore(t)
		path := s.dir
		if mode <= 0o700 {
			path = s.Path()
		}
		must.Succeed(t, os.Chmod(path, mode))
		checkRefused(t, s, path, "accessible to other users")
	}
}

// Root changes the owner of the file. Other users cannot, so the test changes the uid that
// the store expects.
func TestStoreRejectsFilesOfAnotherUser(t *testing.T) {
	t.Parallel()
	for _, path := range []func(*Store) string{(*Store).Path, func(s *Store) string { return s.dir }} {
		s := newStore(t)
		if os.Geteuid() == 0 {
			must.Succeed(t, os.Chown(path(s), 54321, -1))
			checkRefused(t, s, path(s), "belongs to another user (uid 54321)")
			continue
		}
		s.uid++
		checkRefused(t, s, s.dir, "belongs to another user")
	}
}

// A user who may write to the parent directory can replace the store's directory. The checks
// apply to the directory that a link names.
func TestStoreRejectsReplacedDirectory(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must.Succeed(t, os.Chmod(filepath.Dir(s.dir), 0o777))
	link := filepath.Join(t.TempDir(), "link")
	must.Succeed(t, os.Symlink(s.dir, link))
	for _, s := range []*Store{s, Open(link, nil)} {
		accounts, err := s.Accounts()
		must.Hold(t, err == nil && len(accounts) == 1, accounts, err)
	}
	other := t.TempDir()
	must.Succeed(t, os.Chmod(other, 0o777))
	must.Succeed(t, os.Rename(s.dir, s.dir+"-moved"))
	must.Succeed(t, os.Symlink(other, s.dir))
	checkRefused(t, s, s.dir, "accessible to other users")
	entries, err := os.ReadDir(other)
	must.Hold(t, err == nil && len(entries) == 0, "files were created", entries, err)
}

func TestStoreRejectsIrregularFiles(t *testing.T) {
	t.Parallel()
	for _, replace := range []func(path, other string) error{
		func(path, other string) error { return os.Symlink(other, path) },
		func(path, _ string) error { return os.Symlink("nothing", path) },
		func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		s := newStore(t)
		other := filepath.Join(t.TempDir(), "other")
		must.Succeed(t, os.Rename(s.Path(), other))
		must.Succeed(t, replace(s.Path(), other))
		before, err := os.Lstat(s.Path())
		must.Succeed(t, err)
		checkRefused(t, s, s.Path(), "not a regular file")
		after, err := os.Lstat(s.Path())
		must.Hold(t, err == nil && os.SameFile(before, after), "the file was replaced", err)
	}
}
