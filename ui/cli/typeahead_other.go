//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package cli

// dropTyped does nothing where a terminal has no way to say it.
func dropTyped(uintptr) error { return nil }
