package marketplace

import (
	"os"
	"path/filepath"
	"testing"
)

// A database that could not be made leaves nothing: neither the file, nor what
// SQLite keeps beside it, nor the directories on the way to it.
func TestADatabaseThatCannotBeMadeLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if m, err := Open(canceled(t), filepath.Join(dir, "new", "er", "market.db"), Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestADatabaseThatWasThereStays(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := Open(canceled(t), path, Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
