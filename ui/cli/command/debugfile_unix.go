//go:build unix

package command

import "syscall"

// dontWaitOrFollow opens a named pipe without a reader or fails, and no
// symbolic link.
const dontWaitOrFollow = syscall.O_NONBLOCK | syscall.O_NOFOLLOW
