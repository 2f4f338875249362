//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package cli

func dropTyped(uintptr) error { return nil }
