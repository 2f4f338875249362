//go:build !unix

package sshd

import "io/fs"

// The modes of such a system say nothing of who may do what.
func writableByOthers(fs.FileInfo) bool { return false }

func readableByOthers(fs.FileInfo) bool { return false }
