package terminal

import "golang.org/x/sys/unix"

func DropTyped(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
