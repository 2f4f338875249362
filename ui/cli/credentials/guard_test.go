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

// stored returns a store that holds a key, three directories below one of the
// test's own.
func stored(t *testing.T) *Store {
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

// refusesPlace holds that nothing is read, written or removed, because of a path.
func refusesPlace(t *testing.T, s *Store, path, why string) {
	t.Helper()
	_, errRead := s.Accounts()
	_, errSave := s.Save("", base, "other")
	for name, err := range map[string]error{"read": errRead, "save": errSave, "forget": s.Forget("", base)} {
		var place *PlaceError
		if !errors.As(err, &place) || place.Path != path || !strings.Contains(place.Why, why) || place.Todo == "" {
			t.Errorf("%s: %v, want %s, which %s", name, err, path, why)
		}
	}
}

// Who looks is another user than the owner of the files: by a change of owner
// for root, and by the number of the user for others.
func TestWhatBelongsToAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(*Store) string{
		"file":      (*Store).Path,
		"directory": func(s *Store) string { return s.dir },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stored(t)
			if os.Geteuid() == 0 {
				must(t, os.Chown(path(s), 54321, -1))
				refusesPlace(t, s, path(s), "belongs to another user (uid 54321)")
				return
			}
			s.uid++
			refusesPlace(t, s, s.dir, "belongs to another user")
		})
	}
}

// Who may change the directories above may put another directory in the place of this one.
func TestADirectoryOfOthersInThePlaceOfTheStoreIsRefused(t *testing.T) {
	t.Parallel()
	s := stored(t)
	must(t, os.Chmod(filepath.Dir(s.dir), 0o777))
	if accounts, err := s.Accounts(); err != nil || len(accounts) != 1 {
		t.Errorf("%v, %v", accounts, err)
	}
	other := t.TempDir()
	must(t, os.Chmod(other, 0o777))
	must(t, os.Rename(s.dir, s.dir+"-moved"))
	must(t, os.Symlink(other, s.dir))
	refusesPlace(t, s, s.dir, "open to others")
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 0 {
		t.Errorf("%v was made, %v", entries, err)
	}
}

func TestAFileThatIsNoneIsNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put func(path, other string) error
		why string
	}{
		"link":      {func(path, other string) error { return os.Symlink(other, path) }, "not a regular file"},
		"dangling":  {func(path, _ string) error { return os.Symlink("nothing", path) }, "not a regular file"},
		"pipe":      {func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"directory": {func(path, _ string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stored(t)
			other := filepath.Join(t.TempDir(), "other")
			must(t, os.Rename(s.Path(), other))
			must(t, c.put(s.Path(), other))
			before, err := os.Lstat(s.Path())
			must(t, err)
			refusesPlace(t, s, s.Path(), c.why)
			if after, err := os.Lstat(s.Path()); err != nil || !os.SameFile(before, after) {
				t.Errorf("it was replaced: %v", err)
			}
		})
	}
}

// The directory may be reached over links: where it is counts.
func TestLinksAboveTheStoreAreFollowed(t *testing.T) {
	t.Parallel()
	s := stored(t)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(s.dir, link))
	linked := Open(link, nil)
	if accounts, err := linked.Accounts(); err != nil || len(accounts) != 1 {
		t.Errorf("%v, %v", accounts, err)
	}
}
