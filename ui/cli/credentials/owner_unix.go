//go:build unix

package credentials

import (
	"io/fs"
	"syscall"
)

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
