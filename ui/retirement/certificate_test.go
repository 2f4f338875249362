package retirement

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api/audit/pdftext"
	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/uitest"
)

// saveAs acts as a session that saved a certificate in dir.
func (r *robot) saveAs(dir, content string) string {
	r.T.Helper()
	path := filepath.Join(dir, sampleID+".pdf")
	must.Succeed(r.T, os.WriteFile(path, []byte(content), 0o600))
	sum := sha256.Sum256([]byte(content))
	saved := retirement.Certificate{
		Path: path, MediaType: "application/pdf", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
		FetchedAt: r.Now,
	}
	r.Hear(session.CertificateEvent{ID: sampleID, Received: 3, Total: saved.Size},
		session.CertificateEvent{ID: sampleID, Saved: &saved})
	r.feed.Change(sampleID, func(q *session.Request) {
		q.Certificate, q.FileStatus = saved, session.Unchanged
	})
	r.Listen()
	return path
}

// Downloads presses d, and acts as a session that saves the certificate in the requested directory.
func (r *robot) downloads(content string) (path string) {
	r.T.Helper()
	r.Press("d")
	last := uitest.LastOf(r.feed.Asked)
	dir, ok := strings.CutPrefix(last, "save "+sampleID+" https://registry.example/certificates/"+sampleID+".pdf ")
	must.Need(r.T, ok, "last call", last)
	return r.saveAs(dir, content)
}

func (r *robot) Downloads() { r.downloads("%PDF-1.3 the certificate") }

// fileIs sets the status of the saved file.
func fileIs(status session.FileStatus) func(r *robot) {
	return func(r *robot) {
		r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = status })
		r.Listen()
	}
}

// verified acts as a session that verified the certificate.
func verified(e session.VerifiedEvent) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		e.ID = sampleID
		r.Hear(session.CertificateEvent{ID: sampleID, Received: 250, Total: 1000})
		r.Sees("downloading: 25 % of 1,000 bytes")
		r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = e.FileStatus })
		r.Hear(e)
		r.Listen()
		r.SeesNot("downloading")
	}
}

func withCertificate(t testing.TB, o Options) *robot {
	t.Helper()
	return newRobot(t, o).with(request(retirement.Complete))
}

func textOf(text string) pdftext.Content {
	return pdftext.Content{Pages: [][]string{strings.Split(text, "\n")}}
}

// sound returns a request that passes all checks, and the text of its certificate.
func sound() (*retirement.Request, string) {
	r := request(retirement.Complete)
	text := r.TotalQuantity.FormatTonnes() + " retired on " + r.RetiredAt.Time.UTC().Format("2 January 2006") + "\n"
	for i := range r.Items {
		r.Items[i].RetireeTaxID = "GB000000000"
		text += r.Items[i].RetireeName + "\n"
	}
	return r, text + strings.Join(r.SerialNumbers, "\n")
}

// row returns the line of a request in the ledger.
func (r *robot) row(id string) string {
	r.T.Helper()
	for line := range strings.Lines(r.Text()) {
		if list, _, _ := strings.Cut(line, "│"); strings.Contains(list, id) {
			return list
		}
	}
	r.T.Fatalf("%s is not in the ledger:\n%s", id, r.Text())
	return ""
}

func TestCertificateIsComparedWithTheRequest(t *testing.T) {
	t.Parallel()
	good, text := sound()
	unread := *good
	unread.SerialNumbers = []string{"FOO-BAR-1"}
	quantity := good.TotalQuantity.FormatTonnes()
	for name, c := range map[string]struct {
		answer *retirement.Request
		text   pdftext.Content
		err    error
		status session.FileStatus
		// mark and checks are in the row of the ledger, sees is in the details.
		mark, checks, sees string
	}{
		"sound": {good, textOf(text), nil, session.Unchanged, "✓", "8 pass",
			"✓ certificate agrees with the request|quantity, beneficiaries and serial numbers"},
		"a picture": {good, pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✓", "7 pass",
			"· certificate agrees with the request|the certificate is a picture"},
		"another quantity": {good, textOf(strings.Replace(text, quantity, "9 t", 1)), nil, session.Unchanged, "✓", "7 pass",
			"· certificate agrees with the request|not found in its text: the quantity " + quantity},
		"altered": {good, textOf(text), nil, session.Altered, "✗", "✗ certificate on",
			"· certificate agrees with the request|the saved file was altered"},
		"damaged": {good, pdftext.Content{Media: "application/pdf"}, pdftext.ErrDamaged, session.Unchanged, "✓",
			"7 pass", "· certificate agrees with the request|it is damaged"},
		"encrypted": {good, pdftext.Content{Media: "application/pdf"}, pdftext.ErrEncrypted, session.Unchanged, "✓",
			"7 pass", "· certificate agrees with the request|the PDF is encrypted"},
		"gone": {good, pdftext.Content{}, fs.ErrNotExist, session.Gone, "✗", "✗ certificate on",
			"the file was deleted"},
		"no tax id": {request(retirement.Complete), pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✗",
			"✗ beneficiary on", "has no tax id"},
		"unread serials": {&unread, pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✓", "4 pass",
			"unknown format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var read []string
			r := newRobot(t,
				Options{CertificateDir: t.TempDir(),
					ReadCertificate: func(_ context.Context, path string) (pdftext.Content, error) {
						read = append(read, path)
						return c.text, c.err
					}}).with(c.answer)
			r.SeesNot("certificate agrees")
			path := r.downloads("%PDF-1.4")
			fileIs(c.status)(r)
			r.tab.panes.ledger.Table.Show("checks", true)
			r.tab.panes.ledger.Remeasure()
			if c.mark == "✗" {
				// A failed check outranks a change.
				r.feed.Change(sampleID, func(q *session.Request) { q.Looked = retirement.InProgress })
				r.Listen()
			}
			row := r.row(sampleID)
			must.Hold(t, strings.Fields(strings.TrimPrefix(row, "▎"))[0] == c.mark && strings.Contains(row, c.checks),
				"the row", row)
			r.Sees(strings.Split(c.sees, "|")...)
			r.Press("enter", "j", "esc")
			must.Equal(t, read, []string{path}, "read")
		})
	}
}

func TestCertificatesAreReadOneByOneAndOnlyOnShownTab(t *testing.T) {
	t.Parallel()
	reads := 0
	r := withCertificate(t,
		Options{CertificateDir: t.TempDir(), ReadCertificate: func(context.Context, string) (c pdftext.Content, err error) {
			reads++
			return c, pdftext.ErrPicture
		}})
	r.Hidden()
	r.downloads("%PDF-1.4")
	must.Hold(t, reads <= 0, "a certificate is read on a hidden tab")
	r.Shown()
	must.Equal(t, reads, 1, "read")
	row := func(id string) ledger.Row {
		saved := &session.Request{ID: id, Answer: uitest.Retirement(id, retirement.Complete)}
		saved.Certificate.Path = "/" + id
		return ledger.Row{Request: saved}
	}
	first := row(idA)
	work := r.tab.readText(first)
	must.Need(t, work != nil && r.tab.readText(first) == nil && r.tab.readText(row(idB)) == nil,
		"two certificates are read at once")
	got := r.tab.texts.of(first)
	must.Hold(t, got.Result == retirement.NotCheckable && strings.Contains(got.Detail, "reading its text"),
		"during reading", got)
	r.Run(work)
	must.Hold(t, r.tab.readText(first) == nil && r.tab.readText(row(idB)) != nil, "the next certificate is not read")
}

func TestCertificatesOfOtherRowsAreReadToo(t *testing.T) {
	t.Parallel()
	var read []string
	r := withCertificate(t,
		Options{CertificateDir: t.TempDir(),
			ReadCertificate: func(_ context.Context, path string) (c pdftext.Content, err error) {
				read = append(read, path)
				return pdftext.Content{Media: "application/pdf"}, pdftext.ErrDamaged
			}}).with(uitest.Retirement(idA, retirement.Complete))
	for _, id := range []string{sampleID, idA} {
		r.feed.Change(id, func(q *session.Request) {
			q.Certificate.Path, q.Certificate.SHA256, q.FileStatus = "/"+id, id, session.Unchanged
		})
	}
	r.Listen()
	r.Press("j", "k")
	slices.Sort(read)
	must.Equal(t, read, slices.Sorted(slices.Values([]string{"/" + sampleID, "/" + idA})), "read")
	for row := range r.tab.panes.ledger.Shown() {
		of := r.tab.texts.of(row)
		must.Equal(t, of.Detail, pdftext.ErrDamaged.Error(), row.ID, of)
	}
}

// Proved checks which certificate files were checked since the last call.
func (r *robot) Proved(want ...string) {
	must.Equal(r.T, r.feed.Proved, want, "checked")
	r.feed.Proved = nil
}
