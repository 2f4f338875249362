//go:build unix

package dbfile

import (
	"io/fs"
	"syscall"
)

// namesOf returns the number of names of a file, or 1 if it is not known.
func namesOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
