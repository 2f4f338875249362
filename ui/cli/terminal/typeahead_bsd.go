//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import "golang.org/x/sys/unix"

// DropTyped drops what was typed and not read yet.
func DropTyped(fd uintptr) error { return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read) }

// read is FREAD of sys/fcntl.h: what is flushed is what is to be read.
const read = 1
