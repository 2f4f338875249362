package localfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

func TestTargetIsReplacedOnlyWithOverwrite(t *testing.T) {
	t.Parallel()
	mine := func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) }
	for _, test := range []struct {
		name      string
		before    func(path string) error
		overwrite bool
		want      error
		content   string
	}{
		{"a new file", nil, false, nil, "new"},
		{"a new file with --overwrite", nil, true, nil, "new"},
		{"an existing file", mine, false, fs.ErrExist, "mine"},
		{"an existing file with --overwrite", mine, true, nil, "new"},
		{"a link to nothing", func(path string) error { return os.Symlink("nowhere", path) }, false, fs.ErrExist, ""},
		{"a directory with --overwrite", func(path string) error { return os.Mkdir(path, 0o700) }, true, syscall.EISDIR, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			to := Target{filepath.Join(dir, "pack.zip"), test.overwrite}
			if test.before != nil {
				must.Succeed(t, test.before(to.Path))
			}
			checked := to.Check()
			must.Hold(t, errors.Is(checked, test.want), "checked", checked)
			written := to.WriteBytes([]byte("new"))
			must.Hold(t, (written == nil) == (test.want == nil), "written", written)
			got, _ := os.ReadFile(to.Path)
			must.Equal(t, string(got), test.content)
			left := must.Get(os.ReadDir(dir))
			must.Hold(t, len(left) == 1, "files left", left)
		})
	}
}

func TestTargetThatAppearsWhileItIsWrittenIsNotReplaced(t *testing.T) {
	t.Parallel()
	to := Target{Path: filepath.Join(t.TempDir(), "pack.zip")}
	must.Succeed(t, to.Check())
	err := to.Write(func(f *os.File) error {
		must.Succeed(t, os.WriteFile(to.Path, []byte("theirs"), 0o600))
		_, err := f.WriteString("ours")
		return err
	})
	exists, ok := errors.AsType[*ExistsError](err)
	must.Hold(t, ok && exists.Path == to.Path, err)
	must.Equal(t, string(must.Get(os.ReadFile(to.Path))), "theirs")
}
