//go:build !unix

package terminal

import "os"

// watchHangUp does nothing: a console that is closed ends its programs.
func watchHangUp(*os.File, func()) (stop func()) { return func() {} }

func isGone(*os.File) bool { return false }
