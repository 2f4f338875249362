package cli

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// maxStacks bounds what is read of the stacks of all goroutines, in bytes.
const maxStacks = 16 << 20

// writeStacks writes where every goroutine is to a new file in the directory
// for temporary files, which its owner alone can read, and returns its path.
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
// runtime writes to it is lost on the screen of the dashboard. The zero value
// has no file.
type crashFile struct {
	mu   sync.Mutex
	path string
}

// open makes the file, in the directory for temporary files. Without one the
// runtime writes to the terminal alone.
func (c *crashFile) open() {
	file, err := os.CreateTemp("", "tonne-crash-*.txt")
	if err != nil {
		return
	}
	// The runtime keeps the file open by itself.
	defer file.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.path = file.Name()
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		c.drop()
	}
}

// remove removes the file: nothing was written to it.
func (c *crashFile) remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.path != "" {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		c.drop()
	}
}

func (c *crashFile) drop() {
	_ = os.Remove(c.path)
	c.path = ""
}
