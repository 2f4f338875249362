package terminal

import "golang.org/x/sys/unix"

// DropTyped discards input that was typed but not read yet.
func DropTyped(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
