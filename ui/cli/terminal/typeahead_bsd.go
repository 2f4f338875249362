//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import "golang.org/x/sys/unix"

// DropTyped discards input that was typed but not read yet.
func DropTyped(fd uintptr) error { return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read) }

// read is FREAD of sys/fcntl.h, which selects the input queue.
const read = 1
