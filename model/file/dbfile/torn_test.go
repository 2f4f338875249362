package dbfile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/model/file/dbfile"
	"tonne/model/file/dbfile/dbfiletest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// filling is enough for tables whose list has separate pages.
func filling(mark string) string {
	script := "PRAGMA journal_mode = WAL;" + mark
	for n := range 45 {
		script += fmt.Sprintf(";CREATE TABLE t%d (a, of_a_name_that_makes_the_list_of_tables_long)", n)
	}
	return script + ";INSERT INTO t1 (a) VALUES (zeroblob(20000))"
}

const mark = "PRAGMA application_id = 0x746f6e00;PRAGMA user_version = 2"

// A program may be killed after each page that it moves from its log into the
// file, and the first page counts all of them.
func TestATornCheckpointIsClaimed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "market.db")
	conn := dbfiletest.Open(t, path, filling(mark))
	defer closed(t, conn)
	for moved := 0; ; moved++ {
		torn := filepath.Join(t.TempDir(), "market.db")
		if !dbfiletest.TearCheckpoint(t, path, torn, moved) {
			break
		}
		dbfiletest.Untouched(t, filepath.Dir(torn), func() {
			_, err := kind.Claim(torn)
			must.Hold(t, err == nil, "after", moved, err)
		})
		sound(t, torn)
	}
}

func TestATornCheckpointOfOthersIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	step := 1
	if longtest.Factor() == 0 {
		step = 5
	}
	for name, mark := range map[string]string{"another id": "PRAGMA application_id = 77", "no id": "SELECT 1"} {
		path := filepath.Join(t.TempDir(), "market.db")
		conn := dbfiletest.Open(t, path, filling(mark))
		for moved := 0; ; moved += step {
			torn := filepath.Join(t.TempDir(), "market.db")
			if !dbfiletest.TearCheckpoint(t, path, torn, moved) {
				break
			}
			refused(t, torn, fmt.Sprintf("%s after %d pages", name, moved))
		}
		closed(t, conn)
	}
}

// A log that was left behind is not put into a file that took the place of its
// database, and not into one of ours where it is another program's.
func TestALogOfAnotherDatabaseIsLeftAsItIs(t *testing.T) {
	for name, marks := range map[string][2]string{
		"our log":     {mark, "PRAGMA application_id = 77"},
		"another log": {"PRAGMA application_id = 77", mark},
	} {
		dir := t.TempDir()
		from := filepath.Join(t.TempDir(), "from.db")
		conn := dbfiletest.Open(t, from, filling(marks[0]))
		path := filepath.Join(dir, "market.db")
		dbfiletest.TearCheckpoint(t, from, path, 0)
		must.Succeed(t, os.Remove(path))
		log := must.Get(os.ReadFile(path + "-wal"))
		closed(t, conn)
		must.Succeed(t, os.Remove(path+"-wal"))
		closed(t, dbfiletest.Open(t, path, filling(marks[1])))
		must.Succeed(t, os.WriteFile(path+"-wal", log, 0o600))
		refused(t, path, name)
	}
}

// A program that does not keep a log yet writes the first page before those
// that it counts, too. Its journal takes that back.
func TestATornFileWithItsJournalIsClaimed(t *testing.T) {
	dir := t.TempDir()
	path, torn := filepath.Join(dir, "market.db"), filepath.Join(dir, "torn.db")
	conn := dbfiletest.Open(t, path, strings.Replace(filling(mark), "= WAL", "= DELETE", 1)+";PRAGMA cache_size = 1")
	before := must.Get(os.ReadFile(path))
	dbfiletest.Execute(t, conn, "BEGIN;INSERT INTO t2 (a) VALUES (zeroblob(200000));UPDATE t1 SET a = zeroblob(30000)")
	journal := must.Get(os.ReadFile(path + "-journal"))
	dbfiletest.Execute(t, conn, "ROLLBACK")
	closed(t, conn)
	binary.BigEndian.PutUint32(before[28:], 1000)
	for name, content := range map[string][]byte{torn: before, torn + "-journal": journal} {
		must.Succeed(t, os.WriteFile(name, content, 0o600))
	}
	must.Succeed(t, must.Err(kind.Claim(torn)))
	sound(t, torn)
}

// refused fails the test where a path is claimed, or changed.
func refused(t *testing.T, path, name string) {
	t.Helper()
	dbfiletest.Untouched(t, filepath.Dir(path), func() {
		var foreign *dbfile.ForeignError
		_, err := kind.Claim(path)
		must.Hold(t, errors.As(err, &foreign) && err.Error() == foreign.Error(), name, err)
	})
}
