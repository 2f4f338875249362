//go:build unix

package dbfiletest

import (
	"syscall"
	"testing"
)

func addPipe(strangers map[string]Stranger) {
	pipe := func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o644)) }
	strangers["a pipe"] = Stranger{pipe, "not a file"}
}
