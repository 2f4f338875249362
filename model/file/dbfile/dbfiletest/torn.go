package dbfiletest

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"testing"

	must "tonne/model/musttest"
)

// TearCheckpoint creates a database at to, as a program leaves it that is killed during a
// checkpoint, after it copied the given number of pages from the log to the file. from is an
// open, idle database. It reports whether the log has that many pages.
func TearCheckpoint(t *testing.T, from, to string, moved int) bool {
	t.Helper()
	log := must.Get(os.ReadFile(from + "-wal"))
	pageSize, pages := pagesOf(log)
	if len(pages) < moved {
		return false
	}
	file := must.Get(os.ReadFile(from))
	must.Succeed(t, os.WriteFile(to+"-wal", log, 0o600))
	must.Succeed(t, os.WriteFile(to, file, 0o600))
	torn := must.Get(os.OpenFile(to, os.O_WRONLY, 0))
	for _, number := range slices.Sorted(maps.Keys(pages))[:moved] {
		must.Get(torn.WriteAt(pages[number], pageSize*(number-1)))
	}
	must.Succeed(t, torn.Close())
	return true
}

// pagesOf returns the newest version of each page of a log, by number.
func pagesOf(log []byte) (pageSize int64, pages map[int64][]byte) {
	const header, frameHeader = 32, 24
	pages = make(map[int64][]byte)
	pageSize = int64(binary.BigEndian.Uint32(log[8:]))
	for rest := log[header:]; int64(len(rest)) >= frameHeader+pageSize && bytes.Equal(rest[8:16], log[16:24]); {
		pages[int64(binary.BigEndian.Uint32(rest))] = rest[frameHeader : frameHeader+pageSize]
		rest = rest[frameHeader+pageSize:]
	}
	return pageSize, pages
}
