package cli

import "golang.org/x/sys/unix"

// dropTyped drops what was typed at a terminal and not read yet.
func dropTyped(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
