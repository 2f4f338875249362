//go:build !unix

package terminal

import "os"

// watchHangUp does nothing, because a closed console ends its programs.
func watchHangUp(*os.File, func()) (stop func()) { return func() {} }

func isGone(*os.File) bool { return false }
