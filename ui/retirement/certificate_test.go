package retirement

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/uitest"
)

// saveAs plays the feed that has saved a certificate in a directory.
func (r *robot) saveAs(dir string, content []byte) string {
	r.T.Helper()
	path := filepath.Join(dir, sampleID+".pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		r.T.Fatal(err)
	}
	sum := sha256.Sum256(content)
	r.Hear(
		feed.CertificateEvent{ID: sampleID, Received: 3, Total: int64(len(content))},
		feed.CertificateEvent{ID: sampleID, Saved: &api.Certificate{
			Path: path, MediaType: "application/pdf", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), FetchedAt: r.Now,
		}},
	)
	return path
}

// directory returns the one that the feed was last asked to save in.
func (r *robot) directory() string {
	r.T.Helper()
	last := r.feed.Asked[len(r.feed.Asked)-1]
	rest, ok := strings.CutPrefix(last, "save "+sampleID+" https://registry.example/certificates/"+sampleID+".pdf ")
	if !ok {
		r.T.Fatalf("the feed was last asked to %q", last)
	}
	return rest
}

func withCertificate(t *testing.T, o Options) *robot {
	t.Helper()
	r := newRobot(t, o)
	r.paste(sampleID)
	r.found(request(model.Complete))
	return r
}

func TestACertificateIsSavedWhereThePersonSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := memory(t, "")
	r := withCertificate(t, Options{Store: s})
	r.Press("d")
	if r.Prompt == nil || r.Prompt.Value == "" {
		t.Fatalf("no directory was offered: %+v", r.Prompt)
	}
	if problem := r.Reply(dir); problem != "" {
		t.Fatal(problem)
	}
	r.Hear(feed.CertificateEvent{ID: sampleID, Received: 250, Total: 1000})
	r.Sees("downloading: 25 % of 1,000 bytes")
	r.Press("d")
	r.hears("under way")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 the certificate"))
	r.hears("Saved " + path)
	r.Sees("saved 2 Nov 2026 UTC · sha256 ", " · unchanged", "application/pdf · 24 bytes · ")
	kept, err := s.Ledger(t.Context(), r.tab.o.Origin)
	if err != nil || kept[0].Certificate.Path != path || len(kept[0].Certificate.SHA256) != 64 {
		t.Errorf("the store remembers %+v, %v", kept, err)
	}
	r.paste(idA)
	r.found(uitest.Retirement(idA, model.Complete))
	r.Prompt = nil
	r.Press("d")
	if r.Prompt != nil || r.asked("save "+idA+" https://registry.example/certificates/"+idA+".pdf "+dir) != 1 {
		t.Error("the directory is asked for again")
	}
}

func TestACertificateThatWasSavedIsVerified(t *testing.T) {
	t.Parallel()
	saved, other := []byte("%PDF-1.3 the certificate"), []byte("%PDF-1.3 another one")
	for name, c := range map[string]struct {
		onDisk, served []byte
		says, sees     string
	}{
		"unchanged":       {saved, saved, "Unchanged: your file and the service's have sha256", "unchanged"},
		"file changed":    {other, saved, "Your file has changed since it was saved. The service still serves what was saved", "the file has changed since"},
		"service changed": {saved, other, "The service now serves another file. Yours is unchanged.", "the service now serves another file"},
		"both changed":    {other, other, "Your file has changed since it was saved, and the service now serves another one too.", "the file has changed since"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withCertificate(t, Options{CertificateDir: t.TempDir()})
			r.Press("d")
			path := r.saveAs(r.directory(), saved)
			if err := os.WriteFile(path, c.onDisk, 0o600); err != nil {
				t.Fatal(err)
			}
			r.Press("d")
			copied := r.directory()
			if copied == filepath.Dir(path) {
				t.Fatal("the service's file is compared in the place of the one that was saved")
			}
			r.saveAs(copied, c.served)
			r.hears(c.says)
			r.Sees(c.sees)
			if _, err := os.Stat(copied); err == nil {
				t.Error("the copy that was compared is still there")
			}
		})
	}
}

func TestACertificateThatIsGoneIsSavedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := withCertificate(t, Options{CertificateDir: dir})
	r.Press("d")
	path := r.saveAs(dir, []byte("%PDF-1.3"))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.Press("d")
	if r.directory() != dir {
		t.Errorf("saved again in %s, not in %s", r.directory(), dir)
	}
}

func TestADownloadThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.Press("d")
	r.Hear(feed.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.Refused, Message: "the certificate lies in a private network"}})
	r.hears("The certificate was not saved: the certificate lies in a private network.")
	r.Press("d")
	r.saveAs(r.directory(), []byte("%PDF-1.3"))
	r.Press("d")
	r.Hear(feed.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.TimedOut}})
	r.hears("Your file is unchanged. The service's was not compared: the service did not answer in time.")
}

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
	for at, want := range map[string]proof{path: unchanged, large: altered, dir: altered, filepath.Join(dir, "absent"): gone} {
		if got := proveFile(at, ofA); got != want {
			t.Errorf("%s: %d, want %d", at, got, want)
		}
	}
}

func TestTheCertificateIsOpenedAndCopiedByItsAddress(t *testing.T) {
	t.Parallel()
	url := "https://registry.example/certificates/" + sampleID + ".pdf"
	r := withCertificate(t, Options{Safe: func(string) (string, error) { return "registry.example", nil }})
	r.Press("o", "y")
	if len(r.Opened) != 1 || r.Opened[0] != url || len(r.Copied) != 1 || r.Copied[0] != url {
		t.Errorf("opened %q, copied %q", r.Opened, r.Copied)
	}
	if !strings.Contains(r.FrameAt(140, 32), "\x1b]8;;"+url) {
		t.Error("a safe address is no link")
	}
	if strings.Contains(withCertificate(t, Options{}).FrameAt(140, 32), "\x1b]8;;") {
		t.Error("an address that was not checked is a link")
	}
}
