package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tonne/model/retirement"
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
	if err := os.Truncate(large, retirement.LargestCertificate+1); err != nil {
		t.Fatal(err)
	}
	const ofA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	for at, want := range map[string]FileStatus{path: Unchanged, large: Altered, dir: Altered, filepath.Join(dir, "absent"): Gone} {
		if got := VerifyFile(at, ofA); got != want {
			t.Errorf("%s: %d, want %d", at, got, want)
		}
	}
}

func TestWhoeverWalksDownTheLedgerHasOneFileReadAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := &loop{Session: &Session{mail: newMailbox[func(*loop)]()}, ctx: t.Context()}
	g := &ledger{l: l}
	l.ledger = g
	l.certificates = &certificates{l: l}
	sum := sha256.Sum256([]byte("a"))
	for n := range 9 {
		id := fmt.Sprint(n)
		path := filepath.Join(dir, id+".pdf")
		if err := os.WriteFile(path, []byte("altered"), 0o600); err != nil {
			t.Fatal(err)
		}
		g.put(&Request{ID: id, Certificate: retirement.Certificate{Path: path, SHA256: hex.EncodeToString(sum[:])}})
	}
	work := func() {
		for _, post := range l.mail.take() {
			post(l)
		}
	}
	for n := range 6 {
		l.CheckCertificateFile(fmt.Sprint(n))
	}
	l.CheckCertificateFile("5", "unknown", "6", "7")
	work()
	if !l.certificates.checking {
		t.Error("nothing is read")
	}
	for l.certificates.checking {
		l.running.Wait()
		if posted := l.mail.take(); len(posted) != 1 {
			t.Fatalf("%d files were read at once", len(posted))
		} else {
			posted[0](l)
		}
	}
	var read []string
	for _, r := range g.all {
		if r.FileStatus == Altered {
			read = append(read, r.ID)
		}
	}
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7"}; !slices.Equal(read, want) {
		t.Errorf("read are %q, want %q", read, want)
	}
}
