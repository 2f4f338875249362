package retirement

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func shows(text string) pdftext.Content {
	return pdftext.Content{Pages: [][]string{strings.Split(text, "\n")}}
}

// sound returns the text of a certificate that agrees with the request.
func sound(r *retirement.Request) string {
	text := r.TotalQuantity.FormatTonnes() + " retired on " + r.RetiredAt.Time.UTC().Format("2 January 2006") + "\n"
	for _, item := range r.Items {
		text += item.RetireeName + "\n"
	}
	return text + strings.Join(r.SerialNumbers, "\n")
}

func TestDetailsShowWhetherCertificateAgrees(t *testing.T) {
	t.Parallel()
	answer := request(retirement.Complete)
	for _, c := range []struct {
		text pdftext.Content
		err  error
		want []string
	}{
		{shows(sound(answer)), nil, []string{"✓ certificate agrees with the request", "quantity, beneficiaries and serial numbers"}},
		{shows(strings.Replace(sound(answer), answer.TotalQuantity.FormatTonnes(), "9 t", 1)), nil,
			[]string{"· certificate agrees with the request", "not found in its text: the quantity " + answer.TotalQuantity.FormatTonnes()}},
		{pdftext.Content{}, pdftext.ErrPicture, []string{"· certificate agrees with the request", "the certificate is a picture"}},
	} {
		var read []string
		r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(_ context.Context, path string) (pdftext.Content, error) {
			read = append(read, path)
			return c.text, c.err
		}})
		if strings.Contains(r.Text(), "certificate agrees") {
			t.Errorf("a missing certificate is read:\n%s", r.Text())
		}
		r.Press("d")
		path := r.saveAs(r.directory(), []byte("%PDF-1.4"))
		r.Sees(c.want...)
		r.Press("enter", "j", "esc")
		if len(read) != 1 || read[0] != path {
			t.Errorf("read %q", read)
		}
		r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = session.Altered })
		r.listen()
		r.Sees("· certificate agrees with the request", "the saved file was altered")
		if strings.Contains(r.Text(), c.want[0]) && !strings.HasPrefix(c.want[0], "·") || len(read) != 1 {
			t.Errorf("a modified file passes a check: %q\n%s", read, r.Text())
		}
		r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = session.Unchanged })
		r.listen()
		r.Sees(c.want...)
	}
}

func TestCertificatesAreReadOneByOneAndOnlyOnShownTab(t *testing.T) {
	t.Parallel()
	one := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(context.Context, string) (c pdftext.Content, err error) {
		return c, pdftext.ErrPicture
	}})
	row := func(id string) ledger.Row {
		saved := &session.Request{ID: id, Answer: uitest.Retirement(id, retirement.Complete)}
		saved.Certificate.Path = "/" + id
		return ledger.Row{Request: saved}
	}
	first := row(idA)
	work := one.tab.readText(first)
	if work == nil || one.tab.readText(first) != nil || one.tab.readText(row(idB)) != nil {
		t.Fatal("two certificates are read at once")
	}
	if got := one.tab.texts.of(first); got.Result != retirement.NotCheckable || !strings.Contains(got.Detail, "reading its text") {
		t.Errorf("during reading: %+v", got)
	}
	one.Run(work)
	if one.tab.readText(first) != nil || one.tab.readText(row(idB)) == nil {
		t.Error("the next certificate is not read")
	}

	reads := 0
	r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(context.Context, string) (c pdftext.Content, err error) {
		reads++
		return c, nil
	}})
	r.Press("d")
	r.Run(r.tab.Handle(tab.Hidden{}))
	if r.saveAs(r.directory(), []byte("%PDF-1.4")); reads > 0 {
		t.Error("a certificate is read on a hidden tab")
	}
	if r.enters(); reads != 1 {
		t.Errorf("read %d times", reads)
	}
}

func TestCertificatesOfOtherRowsAreReadToo(t *testing.T) {
	t.Parallel()
	var read []string
	r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: func(_ context.Context, path string) (c pdftext.Content, err error) {
		read = append(read, path)
		return c, pdftext.ErrDamaged
	}})
	r.paste(idA)
	r.found(uitest.Retirement(idA, retirement.Complete))
	for _, id := range []string{sampleID, idA} {
		r.feed.Change(id, func(q *session.Request) {
			q.Certificate.Path, q.Certificate.SHA256, q.FileStatus = "/"+id, id, session.Unchanged
		})
	}
	r.listen()
	if slices.Sort(read); !slices.Equal(read, slices.Sorted(slices.Values([]string{"/" + sampleID, "/" + idA}))) {
		t.Errorf("read %q", read)
	}
	for row := range r.tab.panes.ledger.Shown() {
		if of := r.tab.texts.of(row); of.Result != retirement.Fail {
			t.Errorf("%s: %+v", row.ID, of)
		}
	}
	r.Press("j", "k")
	if len(read) != 2 {
		t.Errorf("read again: %q", read)
	}
}
