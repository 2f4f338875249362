//go:build !unix

package suspend

// Run returns at once: there is no such signal.
func (stop) Run() error { return errNoShell }
