//go:build !unix

package suspend

// stop returns at once: there is no such signal.
func stop() error { return errNoShell }
