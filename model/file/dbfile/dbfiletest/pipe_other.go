//go:build !unix

package dbfiletest

// addPipe does nothing: on this system pipes are not files.
func addPipe(map[string]Stranger) {}
