//go:build unix

package credentials

import (
	"io/fs"
	accounts "os/user"
	"strconv"
	"syscall"
)

// ownerOf is the user id of whom a file belongs to, or -1 if the file
// system tells of none.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// inOwnGroup reports whether the group of a file is its owner's own: their
// first one, with their name.
func inOwnGroup(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	owner, err := accounts.LookupId(strconv.Itoa(int(stat.Uid)))
	if err != nil || owner.Gid != strconv.Itoa(int(stat.Gid)) {
		return false
	}
	group, err := accounts.LookupGroupId(owner.Gid)
	return err == nil && group.Name == owner.Username
}
