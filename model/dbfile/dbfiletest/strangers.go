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
)

// Strangers returns files that are not databases of this program, by name.
func Strangers() map[string]Stranger {
	strangers := map[string]Stranger{
		"a text file":                      {text("Dear diary,\n"), "not a database"},
		"a long text file":                 {text(strings.Repeat("not a database ", 1000)), "not a database"},
		"a text file that begins like one": {text("SQLite format 3\x00" + strings.Repeat("x", 5000)), "not a database"},
		"a database with another id":       {database("PRAGMA application_id = 77; CREATE TABLE origin (a)"), "another program"},
		"another id and nothing else":      {database("PRAGMA application_id = 77"), "another program"},
		"a database without an id":         {database("CREATE TABLE tenants (name); INSERT INTO tenants VALUES ('x')"), "another program"},
		"a version and nothing else":       {database("PRAGMA user_version = 1"), "another program"},
		"a database in WAL mode":           {database("PRAGMA journal_mode = WAL; CREATE TABLE t (a)"), "another program"},
		"a database in use":                {inUse, "another program"},
		"a database after a crash":         {crashed, "another program"},
		"a directory":                      {directory, "a directory"},
		"a link to a file":                 {link("text"), "a symbolic link"},
		"a link to nothing":                {link("nothing"), "a symbolic link"},
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
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "-shm") {
			// Readers of a write-ahead log write to the shared memory.
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.IsDir() {
			return nil
		}
		fmt.Fprintf(&b, "%s %s %d %d", path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(content))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(content), 0o644)) }
}

func open(t *testing.T, path, script string) *sqlite.Conn {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	for statement := range strings.SplitSeq(script, ";") {
		must(t, sqlitex.ExecuteTransient(conn, statement, nil))
	}
	return conn
}

func database(script string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		must(t, open(t, path, script).Close())
		must(t, os.Chmod(path, 0o644))
	}
}

const unwritten = "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)"

// inUse creates a database that another connection has open and whose rows are only in the
// write-ahead log.
func inUse(t *testing.T, path string) {
	conn := open(t, path, unwritten)
	t.Cleanup(func() { must(t, conn.Close()) })
}

// crashed creates a database as a killed program leaves it.
func crashed(t *testing.T, path string) {
	other := filepath.Join(t.TempDir(), "other.db")
	conn := open(t, other, unwritten)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(other + suffix)
		must(t, err)
		must(t, os.WriteFile(path+suffix, content, 0o644))
	}
	must(t, conn.Close())
}

func directory(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }

func link(name string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		target := filepath.Join(filepath.Dir(path), name)
		if name != "nothing" {
			must(t, os.WriteFile(target, nil, 0o644))
		}
		must(t, os.Symlink(target, path))
	}
}
