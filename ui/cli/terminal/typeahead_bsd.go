//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import "golang.org/x/sys/unix"

// DropTyped drops input that was typed but not read yet.
func DropTyped(fd uintptr) error { return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read) }

// read is FREAD of sys/fcntl.h: the input queue is flushed.
const read = 1
