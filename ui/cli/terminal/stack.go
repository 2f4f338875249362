package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"tonne/model/dbfile"
)

// maxStacks bounds what is read of the stacks of all goroutines, in bytes.
const maxStacks = 16 << 20

func writeStacks() (path string, err error) {
	text := make([]byte, maxStacks)
	text = text[:runtime.Stack(text, true)]
	file, err := os.CreateTemp("", "tonne-stacks-*.txt")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(withoutArguments(string(text)))
	return file.Name(), errors.Join(err, file.Close())
}

// withoutArguments returns stacks without the arguments of the calls: they are
// words of memory, which are of no use to a reader and may be anything.
func withoutArguments(stacks string) string {
	var b strings.Builder
	for line := range strings.Lines(stacks) {
		call := strings.TrimSuffix(line, "\n")
		if at := strings.LastIndexByte(call, '('); at > 0 && call[0] != '\t' && strings.HasSuffix(call, ")") {
			line = call[:at] + "(...)\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// crashFile is where the runtime writes where the program was when it cannot go
// on, such as for a map that two goroutines write at once or for lack of
// memory. No code of ours runs then: the terminal stays as it is, and what the
// runtime writes to it is lost on the screen of the dashboard. The process holds a
// lock on the file: an empty one without a lock is of a process that was killed,
// and the next one removes it. The zero value has no file.
type crashFile struct {
	mu      sync.Mutex
	path    string
	release func() error
}

const crashFiles = "tonne-crash-*.txt"

// Open makes the file, in the directory for temporary files. Without one the
// runtime writes to the terminal alone.
func (c *crashFile) Open() {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Another process may remove the file before it is locked.
	for try := 0; try < 3 && c.path == ""; try++ {
		c.create()
	}
	go removeEmptyCrashFiles()
}

func (c *crashFile) create() {
	file, err := os.CreateTemp("", crashFiles)
	if err != nil {
		return
	}
	c.path = file.Name()
	// The runtime keeps the file open by itself. Closing a file drops the locks of
	// the process on it.
	if err := errors.Join(debug.SetCrashOutput(file, debug.CrashOptions{}), file.Close()); err != nil {
		c.drop()
		return
	}
	if c.release, err = dbfile.Hold(c.path); err != nil {
		c.drop()
	} else if _, err := os.Lstat(c.path); err != nil {
		c.drop()
	}
}

func removeEmptyCrashFiles() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), crashFiles))
	for _, path := range left {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
			continue
		}
		if release, err := dbfile.Hold(path); err == nil {
			_ = errors.Join(os.Remove(path), release())
		}
	}
}

// Remove removes the file if the program ends well.
func (c *crashFile) Remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.path != "" {
		c.drop()
	}
}

func (c *crashFile) drop() {
	_ = errors.Join(debug.SetCrashOutput(nil, debug.CrashOptions{}), os.Remove(c.path))
	if c.release != nil {
		_ = c.release()
	}
	c.path, c.release = "", nil
}
