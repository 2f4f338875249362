package retirement

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model/retirement"
)

// row returns the line of a request in the ledger.
func (r *robot) row(id string) string {
	r.T.Helper()
	for line := range strings.Lines(r.Text()) {
		list, _, _ := strings.Cut(line, "│")
		if strings.Contains(list, id) {
			return list
		}
	}
	r.T.Fatalf("%s is not in the ledger:\n%s", id, r.Text())
	return ""
}

// soundRequest returns a request that passes all checks.
func soundRequest() *retirement.Request {
	a := request(retirement.Complete)
	for i := range a.Items {
		a.Items[i].RetireeTaxID = "GB000000000"
	}
	return a
}

func unreadSerials() *retirement.Request {
	a := soundRequest()
	a.SerialNumbers = []string{"FOO-BAR-1"}
	return a
}

func TestLedgerRowShowsFailedChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer *retirement.Request
		text   pdftext.Content
		err    error
		status session.FileStatus
		mark   string
		checks string
	}{
		{"sound", soundRequest(), shows(sound(soundRequest())), nil, session.Unchanged, "✓", "8 pass"},
		{"unread", soundRequest(), pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✓", "7 pass"},
		{"no tax id", request(retirement.Complete), pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✗", "✗ beneficiary on"},
		{"altered", soundRequest(), pdftext.Content{}, pdftext.ErrPicture, session.Altered, "✗", "✗ certificate on"},
		{"gone", soundRequest(), pdftext.Content{}, fs.ErrNotExist, session.Gone, "✗", "✗ certificate on"},
		{"unread serials", unreadSerials(), pdftext.Content{}, pdftext.ErrPicture, session.Unchanged, "✗", "✗ serial ranges"},
		{"damaged", soundRequest(), pdftext.Content{}, pdftext.ErrDamaged, session.Unchanged, "✗", "✗ certificate agr"},
		{"values not found", soundRequest(), shows("9 t"), nil, session.Unchanged, "✓", "7 pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(context.Context, string) (pdftext.Content, error) { return c.text, c.err }}).with(c.answer)
			r.Press("d")
			r.saveAs(r.directory(), []byte("%PDF-1.4"))
			r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = c.status })
			r.listen()
			r.tab.panes.ledger.Table.Show("checks", true)
			r.tab.panes.ledger.Remeasure()
			if c.mark == "✗" {
				// A failed check outranks a change.
				r.feed.Change(sampleID, func(q *session.Request) { q.Looked = retirement.InProgress })
				r.listen()
			}
			if row := r.row(sampleID); strings.Fields(strings.TrimPrefix(row, "▎"))[0] != c.mark || !strings.Contains(row, c.checks) {
				t.Errorf("the row is %q", row)
			}
		})
	}
}
