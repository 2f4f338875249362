//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package terminal

func DropTyped(uintptr) error { return nil }
