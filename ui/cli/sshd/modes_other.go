//go:build !unix

package sshd

import "io/fs"

func writableByOthers(fs.FileInfo) bool { return false }

func readableByOthers(fs.FileInfo) bool { return false }
