package retirement

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// saveAs acts as a session that saved a certificate in dir.
func (r *robot) saveAs(dir string, content []byte) string {
	r.T.Helper()
	path := filepath.Join(dir, sampleID+".pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		r.T.Fatal(err)
	}
	sum := sha256.Sum256(content)
	saved := retirement.Certificate{
		Path: path, MediaType: "application/pdf", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), FetchedAt: r.Now,
	}
	r.Hear(session.CertificateEvent{ID: sampleID, Received: 3, Total: saved.Size}, session.CertificateEvent{ID: sampleID, Saved: &saved})
	r.feed.Change(sampleID, func(q *session.Request) {
		q.Certificate, q.FileStatus = saved, session.Unchanged
	})
	r.listen()
	return path
}

// directory returns the directory of the last request to save a certificate.
func (r *robot) directory() string {
	r.T.Helper()
	last := r.feed.Asked[len(r.feed.Asked)-1]
	rest, ok := strings.CutPrefix(last, "save "+sampleID+" https://registry.example/certificates/"+sampleID+".pdf ")
	if !ok {
		r.T.Fatalf("last call: %q", last)
	}
	return rest
}

func withCertificate(t *testing.T, o Options) *robot {
	t.Helper()
	r := newRobot(t, o)
	r.paste(sampleID)
	r.found(request(retirement.Complete))
	return r
}

func TestCertificateIsSavedInChosenDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := withCertificate(t, Options{})
	r.Press("d")
	if r.Prompt == nil || r.Prompt.Value(0) == "" {
		t.Fatalf("no directory proposed: %+v", r.Prompt)
	}
	if problem := r.Reply(dir); problem != "" {
		t.Fatal(problem)
	}
	r.Hear(session.CertificateEvent{ID: sampleID, Received: 250, Total: 1000})
	r.Sees("downloading: 25 % of 1,000 bytes")
	r.Press("d")
	r.hears("still running")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 the certificate"))
	r.hears("Saved " + path)
	r.Sees("saved 2 Nov 2026 UTC · sha256 ", " · unchanged", "application/pdf · 24 bytes · ")
	r.paste(idA)
	r.found(uitest.Retirement(idA, retirement.Complete))
	r.Prompt = nil
	r.Press("d")
	if r.Prompt != nil || r.asked("save "+idA+" https://registry.example/certificates/"+idA+".pdf "+dir) != 1 {
		t.Error("the second certificate prompts for the directory again")
	}
}

// verified acts as a session that verified the certificate.
func (r *robot) verified(e session.VerifiedEvent) {
	e.ID = sampleID
	r.Hear(session.CertificateEvent{ID: sampleID, Received: 250, Total: 1000})
	r.Sees("downloading: 25 % of 1,000 bytes")
	r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = e.FileStatus })
	r.Hear(e)
	r.listen()
	r.SeesNot("downloading")
}

func TestSavedCertificateIsVerified(t *testing.T) {
	t.Parallel()
	saved := []byte("%PDF-1.3 the certificate")
	sum := sha256.Sum256(saved)
	same, other := hex.EncodeToString(sum[:]), strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		status     session.FileStatus
		served     string
		says, sees string
	}{
		"unchanged":       {session.Unchanged, same, "Unchanged: your file and the service's have sha256", "unchanged"},
		"file changed":    {session.Altered, same, "Your file has changed since it was saved. The service still serves the original", "the file was modified"},
		"file unreadable": {session.Unreadable, same, "Your file cannot be read. The service still serves the original", "the file cannot be read"},
		"service changed": {session.Superseded, other, "The service now serves a different file. Yours is unchanged.", "the service now serves another file"},
		"both changed":    {session.Altered, other, "Your file has changed since it was saved, and the service now serves a different file too.", "the file was modified"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withCertificate(t, Options{CertificateDir: t.TempDir()})
			r.Press("d")
			r.saveAs(r.directory(), saved)
			r.Press("d")
			r.hears("Verifying the certificate of " + sampleID)
			r.Press("d")
			r.hears("still running")
			if r.asked("verify "+sampleID) != 1 {
				t.Errorf("calls of the session: %q", r.feed.Asked)
			}
			r.verified(session.VerifiedEvent{FileStatus: c.status, Served: c.served})
			r.hears(c.says)
			r.Sees(c.sees)
		})
	}
}

func TestDeletedCertificateIsSavedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := withCertificate(t, Options{CertificateDir: dir})
	r.Press("d")
	path := r.saveAs(dir, []byte("%PDF-1.3"))
	r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = session.Gone })
	r.listen()
	r.Sees("the file was deleted")
	r.Press("d")
	if r.asked("verify "+sampleID) != 1 {
		t.Errorf("calls of the session: %q", r.feed.Asked)
	}
	r.saveAs(dir, []byte("%PDF-1.3"))
	r.hears("Saved " + path)
	r.SeesNot("downloading", "gone")
}

func TestFailedDownloadGivesReason(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.Press("d")
	r.Hear(session.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.Refused, Message: "the certificate lies in a private network"}})
	r.hears("Could not save the certificate: the certificate lies in a private network.")
	r.Press("d")
	r.saveAs(r.directory(), []byte("%PDF-1.3"))
	r.Press("d")
	r.verified(session.VerifiedEvent{FileStatus: session.Unchanged, Err: &api.Error{Kind: api.TimedOut}})
	r.hears("Your file is unchanged. It was not compared with the service: the service did not answer in time.")
}

func TestCertificateIsOpenedAndItsAddressCopied(t *testing.T) {
	t.Parallel()
	url := "https://registry.example/certificates/" + sampleID + ".pdf"
	r := withCertificate(t, Options{Safe: func(string) (string, error) { return "registry.example", nil }})
	r.Press("o", "y")
	r.binding("retirement.copyaddress")
	if len(r.Opened) != 1 || r.Opened[0] != url || len(r.Copied) != 2 || r.Copied[0] != sampleID || r.Copied[1] != url {
		t.Errorf("opened %q, copied %q", r.Opened, r.Copied)
	}
	if !strings.Contains(r.FrameAt(140, 32), "\x1b]8;;"+url) {
		t.Error("a safe address is not a link")
	}
	if strings.Contains(withCertificate(t, Options{}).FrameAt(140, 32), "\x1b]8;;") {
		t.Error("an unchecked address is a link")
	}
}

func TestCertificateFileIsCheckedWheneverShown(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.paste(idA)
	r.found(uitest.Retirement(idA, retirement.Complete))
	for _, step := range []struct {
		what string
		do   func()
		want []string
	}{
		{"selected", func() { r.Press("j") }, []string{sampleID}},
		{"another event", func() { r.Hear(session.ProjectsEvent{}) }, nil},
		{"left and selected again", func() { r.Press("k", "j") }, []string{idA, sampleID}},
		{"tab shown again", func() { r.tab.Handle(tab.Hidden{}); r.enters() }, []string{sampleID}},
	} {
		r.feed.Proved = nil
		if step.do(); !slices.Equal(r.feed.Proved, step.want) {
			t.Errorf("%s: checked %q, want %q", step.what, r.feed.Proved, step.want)
		}
	}
}
