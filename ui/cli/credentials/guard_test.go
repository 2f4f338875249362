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

func TestDirectoriesThatOthersWriteToAreRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o777, 0o757, 0o722, 0o775} {
		s := stored(t)
		data := filepath.Dir(s.dir)
		for _, dir := range []string{data, filepath.Dir(data)} {
			must(t, os.Chmod(dir, mode))
			// A group that is not its owner's: nobody's name.
			_ = os.Chown(dir, -1, 54321)
			info, err := os.Stat(dir)
			must(t, err)
			if othersWrite(info) {
				refusesPlace(t, s, dir, "can be changed by others")
			} else if mode&0o002 != 0 {
				t.Errorf("%04o passes", mode)
			}
			must(t, os.Chmod(dir, 0o755))
		}
	}
}

// Under /tmp the sticky bit keeps others from replacing what is not theirs,
// and many systems give a user a group of their own that may write.
func TestDirectoriesThatOnlySeemOpenAreTaken(t *testing.T) {
	t.Parallel()
	s := stored(t)
	data := filepath.Dir(s.dir)
	must(t, os.Chmod(data, 0o777|os.ModeSticky))
	if _, err := s.Accounts(); err != nil {
		t.Error(err)
	}
	must(t, os.Chmod(data, 0o775))
	info, err := os.Stat(data)
	must(t, err)
	if _, err := s.Accounts(); inOwnGroup(info) != (err == nil) {
		t.Errorf("the group is the owner's own: %v, and the error is %v", inOwnGroup(info), err)
	}
}

// Who looks is another user than the owner of the files: by a change of owner
// for root, and by the number of the user for others.
func TestWhatBelongsToAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(*Store) string{
		"file":      (*Store).Path,
		"directory": func(s *Store) string { return s.dir },
		"parent":    func(s *Store) string { return filepath.Dir(s.dir) },
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

// A place that is not there yet is looked at before it is made.
func TestNoKeyIsStoredBelowADirectoryOfOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "open")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Chmod(dir, 0o777))
	ring := make(memory)
	s := Open(filepath.Join(dir, "data", "keys"), ring)
	if accounts, err := s.Accounts(); err != nil || len(accounts) != 0 {
		t.Errorf("%v, %v", accounts, err)
	}
	var place *PlaceError
	if _, err := s.Save("", base, "secret"); !errors.As(err, &place) || place.Path != dir || len(ring) != 0 {
		t.Errorf("%v, and %d secrets are in the keyring", err, len(ring))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v was made, %v", entries, err)
	}
}

func TestAFileThatIsNoneIsNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put func(path, other string) error
		why string
	}{
		"link":      {func(path, other string) error { return os.Symlink(other, path) }, "symbolic link"},
		"dangling":  {func(path, _ string) error { return os.Symlink("nothing", path) }, "symbolic link"},
		"pipe":      {func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "not a file"},
		"directory": {func(path, _ string) error { return os.Mkdir(path, 0o700) }, "not a file"},
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
	data := filepath.Dir(s.dir)
	must(t, os.Chmod(data, 0o777))
	refusesPlace(t, linked, data, "can be changed by others")
}
