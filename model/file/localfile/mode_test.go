package localfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tonne/model/file/localfile"
	must "tonne/model/musttest"
)

func TestPathsThatEveryUserCanChange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		dir   bool
		mode  fs.FileMode
		chmod bool
	}{
		{"a private file", false, 0o600, false},
		{"a file that the group may write", false, 0o664, false},
		{"a file that every user may read", false, 0o644, false},
		{"a file that every user may write", false, 0o666, true},
		{"a file that only others may write", false, 0o602, true},
		{"a private directory", true, 0o700, false},
		{"a directory of the group", true, 0o775, false},
		{"an open directory", true, 0o777, true},
		{"a sticky directory", true, 0o777 | fs.ModeSticky, true},
	} {
		path := filepath.Join(t.TempDir(), "it")
		if tt.dir {
			must.Succeed(t, os.Mkdir(path, 0o700))
		} else {
			must.Succeed(t, os.WriteFile(path, nil, 0o600))
		}
		must.Succeed(t, os.Chmod(path, tt.mode))
		err := localfile.CheckMode(path)
		var loose *localfile.ModeError
		must.Equal(t, errors.As(err, &loose), tt.chmod, tt.name, err)
		must.Hold(t, loose == nil || loose.Chmod() == "chmod o-w "+path, tt.name, loose)
	}
	must.Succeed(t, localfile.CheckMode(filepath.Join(t.TempDir(), "missing")))
	dir := t.TempDir()
	for mode, loose := range map[fs.FileMode]bool{0o777: true, 0o777 | fs.ModeSticky: false, 0o775: false} {
		must.Succeed(t, os.Chmod(dir, mode))
		must.Equal(t, localfile.CheckDirOf(filepath.Join(dir, "config.toml")) != nil, loose, mode)
	}
}
