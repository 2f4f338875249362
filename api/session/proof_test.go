package session

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreProvedByTheirHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "c.pdf")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.pdf")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, largestCertificate+1); err != nil {
		t.Fatal(err)
	}
	const ofA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	for at, want := range map[string]Proof{path: Unchanged, large: Altered, dir: Altered, filepath.Join(dir, "absent"): Gone} {
		if got := ProveFile(at, ofA); got != want {
			t.Errorf("%s: %d, want %d", at, got, want)
		}
	}
}
