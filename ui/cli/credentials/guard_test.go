//go:build unix

package credentials

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// newStore returns a store with one key, three directories below a temporary one.
func newStore(t *testing.T) *Store {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "home", "data", "keys"), nil)
	if _, err := s.Save("", base, "secret"); err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkRefused checks that the store refuses every operation because of a path.
func checkRefused(t *testing.T, s *Store, path, why string) {
	t.Helper()
	_, errRead := s.Accounts()
	_, errSave := s.Save("", base, "other")
	for name, err := range map[string]error{"read": errRead, "save": errSave, "forget": s.Forget("", base)} {
		var place *PlaceError
		if !errors.As(err, &place) || place.Path != path || !strings.Contains(place.Why, why) || place.Todo == "" {
			t.Errorf("%s: %v, want an error for %s: %s", name, err, path, why)
		}
	}
}

// Root changes the owner of the file. Other users cannot, so the test changes the uid that
// the store expects.
func TestStoreRejectsFilesOfAnotherUser(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(*Store) string{
		"file":      (*Store).Path,
		"directory": func(s *Store) string { return s.dir },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			if os.Geteuid() == 0 {
				must(t, os.Chown(path(s), 54321, -1))
				checkRefused(t, s, path(s), "belongs to another user (uid 54321)")
				return
			}
			s.uid++
			checkRefused(t, s, s.dir, "belongs to another user")
		})
	}
}

// A user who may write to the parent directory can replace the store's directory.
func TestStoreRejectsReplacedDirectory(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, os.Chmod(filepath.Dir(s.dir), 0o777))
	if accounts, err := s.Accounts(); err != nil || len(accounts) != 1 {
		t.Errorf("%v, %v", accounts, err)
	}
	other := t.TempDir()
	must(t, os.Chmod(other, 0o777))
	must(t, os.Rename(s.dir, s.dir+"-moved"))
	must(t, os.Symlink(other, s.dir))
	checkRefused(t, s, s.dir, "accessible to other users")
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 0 {
		t.Errorf("files were created: %v, %v", entries, err)
	}
}

func TestStoreRejectsIrregularFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replace func(path, other string) error
		why     string
	}{
		"link":      {func(path, other string) error { return os.Symlink(other, path) }, "not a regular file"},
		"dangling":  {func(path, _ string) error { return os.Symlink("nothing", path) }, "not a regular file"},
		"pipe":      {func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"directory": {func(path, _ string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			other := filepath.Join(t.TempDir(), "other")
			must(t, os.Rename(s.Path(), other))
			must(t, c.replace(s.Path(), other))
			before, err := os.Lstat(s.Path())
			must(t, err)
			checkRefused(t, s, s.Path(), c.why)
			if after, err := os.Lstat(s.Path()); err != nil || !os.SameFile(before, after) {
				t.Errorf("the file was replaced: %v", err)
			}
		})
	}
}

// The checks apply to the directory that the link names.
func TestStoreFollowsLinkToItsDirectory(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(s.dir, link))
	linked := Open(link, nil)
	if accounts, err := linked.Accounts(); err != nil || len(accounts) != 1 {
		t.Errorf("%v, %v", accounts, err)
	}
}
