package cli

import "golang.org/x/sys/unix"

func dropTyped(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
