//go:build unix

package dbfiletest

import (
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

func addPipe(strangers map[string]Stranger) {
	pipe := func(t *testing.T, path string) { must.Succeed(t, syscall.Mkfifo(path, 0o644)) }
	strangers["a pipe"] = Stranger{pipe, "not a file"}
}
