//go:build unix

package credentials

import (
	"io/fs"
	accounts "os/user"
	"strconv"
	"syscall"
)

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

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
