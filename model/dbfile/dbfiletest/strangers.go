// Package dbfiletest makes files that are not ours, and tells whether they
// were touched.
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

// Strangers are ways to put something at a path that is no database of ours,
// each with a word of the sentence that refuses it.
func Strangers() map[string]Stranger {
	strangers := map[string]Stranger{
		"a text file":                      {text("Dear diary,\n"), "no database"},
		"a long text file":                 {text(strings.Repeat("not a database ", 1000)), "no database"},
		"a text file that begins like one": {text("SQLite format 3\x00" + strings.Repeat("x", 5000)), "no database"},
		"a database with another id":       {database("PRAGMA application_id = 77; CREATE TABLE origin (a)"), "another program"},
		"another id and nothing else":      {database("PRAGMA application_id = 77"), "another program"},
		"a database without an id":         {database("CREATE TABLE tenants (name); INSERT INTO tenants VALUES ('x')"), "another program"},
		"a version and nothing else":       {database("PRAGMA user_version = 1"), "another program"},
		"a database in WAL mode":           {database("PRAGMA journal_mode = WAL; CREATE TABLE t (a)"), "another program"},
		"a database in use":                {inUse, "another program"},
		"a database after a crash":         {crashed, "another program"},
		"a directory":                      {directory, "a directory"},
		"a link to a file":                 {link("text"), "link to"},
		"a link to nothing":                {link("nothing"), "link to"},
	}
	addPipe(strangers)
	return strangers
}

// Stranger is something that is not ours.
type Stranger struct {
	// Make puts it at a path whose directory is there.
	Make func(t *testing.T, path string)
	// Says is in the sentence that refuses it.
	Says string
}

// Untouched fails the test if do changes a file below a directory: its name, mode,
// time of change or contents. It ignores the shared memory of write-ahead logs.
func Untouched(t *testing.T, dir string, do func()) {
	t.Helper()
	before := state(t, dir)
	do()
	if after := state(t, dir); after != before {
		t.Errorf("it was\n%sand is\n%s", before, after)
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
			// Readers of a write-ahead log share memory in it.
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

// inUse is a database that another connection has open, with all that it holds
// in its log.
func inUse(t *testing.T, path string) {
	conn := open(t, path, unwritten)
	t.Cleanup(func() { must(t, conn.Close()) })
}

// crashed is what a program leaves that was killed.
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
