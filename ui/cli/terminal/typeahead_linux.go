package terminal

import "golang.org/x/sys/unix"

// DropTyped drops what was typed and not read yet.
func DropTyped(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
