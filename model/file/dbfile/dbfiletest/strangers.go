// Package dbfiletest creates files that are not databases of this program, for tests, and
// checks that they stay unchanged. It also creates databases as a crash leaves them. Start
// reading at Strangers.
package dbfiletest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	must "tonne/model/musttest"
)

// Strangers returns files that are not databases of this program, by name.
func Strangers() map[string]Stranger {
	strangers := map[string]Stranger{
		"a text file":                      {text("Dear diary,\n"), "not a database"},
		"a long text file":                 {text(strings.Repeat("not a database ", 1000)), "not a database"},
		"a text file that begins like one": {text("SQLite format 3\x00" + strings.Repeat("x", 5000)), "not a database"},
		"a database with another id": {database("PRAGMA application_id = 77; CREATE TABLE origin (a)"),
			"another program"},
		"another id and nothing else": {database("PRAGMA application_id = 77"), "another program"},
		"a database without an id": {database("CREATE TABLE tenants (name); INSERT INTO tenants VALUES ('x')"),
			"another program"},
		"a version and nothing else": {database("PRAGMA user_version = 1"), "another program"},
		"a database in WAL mode":     {database("PRAGMA journal_mode = WAL; CREATE TABLE t (a)"), "another program"},
		"a database in use":          {inUse, "another program"},
		"a database after a crash":   {crashed, "another program"},
		"a directory":                {directory, "a directory"},
		"a link to a file":           {link("text"), "a symbolic link"},
		"a link to nothing":          {link("nothing"), "a symbolic link"},
	}
	addPipe(strangers)
	return strangers
}

// Stranger is a file that is not a database of this program.
type Stranger struct {
	// Make creates the file at a path. The directory must exist.
	Make func(t *testing.T, path string)
	// Says is a part of the expected error.
	Says string
}

// Untouched fails the test if do changes the name, mode, modification time or contents of a
// file below dir. It ignores the shared memory of write-ahead logs.
func Untouched(t *testing.T, dir string, do func()) {
	t.Helper()
	before := state(t, dir)
	do()
	if after := state(t, dir); after != before {
		t.Errorf("files before\n%sfiles after\n%s", before, after)
	}
}

func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must.Succeed(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		// Readers of a write-ahead log write to the shared memory.
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		info := must.Get(entry.Info())
		fmt.Fprintf(&b, "%s %s %d %d", path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() {
			fmt.Fprintf(&b, " %x", sha256.Sum256(must.Get(os.ReadFile(path))))
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

func text(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must.Succeed(t, os.WriteFile(path, []byte(content), 0o644)) }
}

// Open runs a script on a database, in statements, and leaves it open.
func Open(t *testing.T, path, script string) *sqlite.Conn {
	t.Helper()
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	Execute(t, conn, script)
	return conn
}

// Execute runs a script on an open database, in statements.
func Execute(t *testing.T, conn *sqlite.Conn, script string) {
	t.Helper()
	for statement := range strings.SplitSeq(script, ";") {
		must.Succeed(t, sqlitex.ExecuteTransient(conn, statement, nil))
	}
}

func database(script string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		must.Succeed(t, Open(t, path, script).Close())
		must.Succeed(t, os.Chmod(path, 0o644))
	}
}

const unwritten = "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)"

// inUse creates a database that another connection has open and whose rows are only in the
// write-ahead log.
func inUse(t *testing.T, path string) {
	conn := Open(t, path, unwritten)
	t.Cleanup(func() { must.Succeed(t, conn.Close()) })
}

// crashed creates a database as a killed program leaves it.
func crashed(t *testing.T, path string) {
	other := filepath.Join(t.TempDir(), "other.db")
	conn := Open(t, other, unwritten)
	for _, suffix := range []string{"", "-wal"} {
		content := must.Get(os.ReadFile(other + suffix))
		must.Succeed(t, os.WriteFile(path+suffix, content, 0o644))
	}
	must.Succeed(t, conn.Close())
}

func directory(t *testing.T, path string) { must.Succeed(t, os.Mkdir(path, 0o755)) }

func link(name string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		target := filepath.Join(filepath.Dir(path), name)
		if name != "nothing" {
			must.Succeed(t, os.WriteFile(target, nil, 0o644))
		}
		must.Succeed(t, os.Symlink(target, path))
	}
}
