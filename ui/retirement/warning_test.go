package retirement

import (
	"context"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
)

// row is the line of the ledger that a request stands in.
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

// soundRequest is one that no check fails of.
func soundRequest() *model.Retirement {
	a := request(model.Complete)
	for i := range a.Items {
		a.Items[i].RetireeTaxID = "GB000000000"
	}
	return a
}

func unreadSerials() *model.Retirement {
	a := soundRequest()
	a.SerialNumbers = []string{"FOO-BAR-1"}
	return a
}

func TestARowOfTheLedgerSaysWhichCheckFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer *model.Retirement
		text   audit.CertificateText
		status session.FileStatus
		mark   string
		checks string
	}{
		{"sound", soundRequest(), audit.CertificateText{Lines: strings.Split(sound(soundRequest()), "\n")}, session.Unchanged, "✓", "8 pass"},
		{"unread", soundRequest(), audit.CertificateText{Unread: "it is a picture"}, session.Unchanged, "✓", "7 pass"},
		{"no tax id", request(model.Complete), audit.CertificateText{Unread: "it is a picture"}, session.Unchanged, "✗", "✗ beneficiary on"},
		{"altered", soundRequest(), audit.CertificateText{Unread: "it is a picture"}, session.Altered, "✗", "✗ certificate on"},
		{"gone", soundRequest(), audit.CertificateText{Unread: "it is gone"}, session.Gone, "✗", "✗ certificate on"},
		{"unread serials", unreadSerials(), audit.CertificateText{Unread: "it is a picture"}, session.Unchanged, "✗", "✗ serial ranges"},
		{"damaged", soundRequest(), audit.CertificateText{Unread: "it is damaged", Broken: true}, session.Unchanged, "✗", "✗ certificate agr"},
		{"values not found", soundRequest(), audit.CertificateText{Lines: []string{"9 t"}}, session.Unchanged, "✓", "7 pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(context.Context, string) audit.CertificateText { return c.text }})
			r.paste(sampleID)
			r.found(c.answer)
			r.Press("d")
			r.saveAs(r.directory(), []byte("%PDF-1.4"))
			r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = c.status })
			r.listen()
			r.tab.panes.ledger.Table.Show("checks", true)
			r.tab.panes.ledger.Remeasure()
			if c.mark == "✗" {
				// A known fault is of more weight than a change.
				r.feed.Change(sampleID, func(q *session.Request) { q.Looked = model.InProgress })
				r.listen()
			}
			if row := r.row(sampleID); strings.Fields(strings.TrimPrefix(row, "▎"))[0] != c.mark || !strings.Contains(row, c.checks) {
				t.Errorf("the row is %q", row)
			}
		})
	}
}
