//go:build !unix

package suspend

func stop() error { return errNoShell }
