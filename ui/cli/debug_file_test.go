//go:build unix

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tonne/ui/cli/command"
)

func TestDebugLogMustBeOwnerOnlyRegularFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	target := file("target", 0o600)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "new"): "",
		file("mine", 0o600):       "",
		file("readable", 0o644):   "others can read",
		link:                      "regular file",
		pipe:                      "regular file",
		os.DevNull:                "regular file",
	} {
		log, err := command.OpenDebugFile(path)
		if err == nil {
			if info, statErr := log.Stat(); statErr != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", path, info.Mode(), statErr)
			}
			_ = log.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error is %v, want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "before\n" {
		t.Errorf("the target of the link contains %q, %v", text, err)
	}
}

func TestRefusedDebugLogSaysWhatToDo(t *testing.T) {
	t.Parallel()
	readable := filepath.Join(t.TempDir(), "log")
	if err := errors.Join(os.WriteFile(readable, nil, 0o600), os.Chmod(readable, 0o644)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		os.DevNull: "name a new file",
		readable:   "run `chmod 600 " + readable + "`, or name a new file",
	} {
		_, err := command.OpenDebugFile(path)
		if f := command.Explain(err); f.Next() != want || f.Status != command.StatusFailed {
			t.Errorf("%s: %q, status %d", path, f.Next(), f.Status)
		}
	}
}

func TestPipeAsDebugLogDoesNotBlock(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	pipe := filepath.Join(home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startAt(t, 120, 36, environment(home), os.Args[0], "market", "--base-url", "http://127.0.0.1:1", "--debug", pipe).read()
	if status := p.end(); status == 0 {
		t.Error("a pipe as --debug file is accepted")
	}
}
