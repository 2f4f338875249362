//go:build !unix

package credentials

import "io/fs"

func ownerOf(fs.FileInfo) int { return -1 }
