package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

func TestCertificateText(t *testing.T) {
	not := func(detail string) retirement.Check {
		return retirement.Check{Name: CertificateAgrees, Result: retirement.NotCheckable, Detail: detail}
	}
	pdf := pdftext.Content{Media: "application/pdf"}
	for name, c := range map[string]struct {
		content pdftext.Content
		err     error
		want    retirement.Check
	}{
		"cut": {pdftext.Content{Pages: [][]string{{"part"}}, Cut: true}, nil,
			not("only part of its text is readable")},
		"empty":      {pdftext.Content{Pages: [][]string{{" ", "\f"}}}, nil, not("its text is empty")},
		"picture":    {pdf, pdftext.ErrPicture, not("the certificate is a picture")},
		"no reader":  {pdf, pdftext.ErrNoReader, not(pdftext.ErrNoReader.Error())},
		"unreadable": {pdftext.Content{}, fs.ErrPermission, not("the file cannot be read")},
		"damaged":    {pdf, pdftext.ErrDamaged, not(pdftext.ErrDamaged.Error())},
		"encrypted":  {pdf, pdftext.ErrEncrypted, not(pdftext.ErrEncrypted.Error())},
		"too long":   {pdf, pdftext.ErrTooLong, not(pdftext.ErrTooLong.Error())},
		"no text":    {pdf, pdftext.ErrUnreadable, not(pdftext.ErrUnreadable.Error())},
		"other file": {pdf, pdftext.ErrOther, not(pdftext.ErrOther.Error())},
	} {
		must.Equal(t, checkText(15000e6, c.content, c.err), c.want, name)
	}
	must.Equal(t, (Subject{}).CheckText(nil), not("no certificate was saved"), "without a certificate")
	texttest.Run(t, "certificates", func(t *testing.T, text string) string {
		text, _, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "\n> ")
		grams := model.Grams(15000e6)
		if strings.HasSuffix(t.Name(), "of_one_tonne") {
			grams = 1e6
		}
		got := checkText(grams, pdftext.Content{Pages: [][]string{strings.Split(text, "\n")}}, nil)
		return fmt.Sprintf("%s\n> %s: %s\n", text, got.Result, got.Detail)
	})
}

func checkText(grams model.Grams, content pdftext.Content, err error) retirement.Check {
	r := modeltest.RetirementOf("00m1", "003a", "004a", "2026-02-08", modeltest.Verra, "Your Customer Ltd", grams)
	s := Subject{Answer: r, Certificate: retirement.Certificate{Path: "a.pdf"}}
	return s.CheckText(func(string) (pdftext.Content, error) { return content, err })
}

func TestCertificateOnFile(t *testing.T) {
	saved := retirement.Certificate{Path: "c.pdf", SHA256: "1",
		FetchedAt: time.Date(2026, 2, 8, 12, 0, 0, 733698888, time.UTC)}
	same, other := &retirement.Certificate{SHA256: "1"}, &retirement.Certificate{SHA256: "2"}
	const gone = "the file saved at 2026-02-08T12:00:00Z is gone, "
	for _, c := range []struct {
		subject Subject
		result  retirement.Result
		detail  string
	}{
		{Subject{}, retirement.NotCheckable, "no certificate was saved"},
		{Subject{LedgerLost: true}, retirement.NotCheckable, "the ledger of this machine is unusable"},
		{Subject{Certificate: saved, File: session.Unchanged}, retirement.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{Subject{Fetched: same}, retirement.Pass, "fetched with the evidence"},
		{Subject{Certificate: saved, File: session.Unchanged, Fetched: same}, retirement.Pass,
			"unchanged since 2026-02-08T12:00:00Z"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: same}, retirement.Fail,
			gone + "a new download is identical to the saved file"},
		{Subject{FetchProblem: "no route"}, retirement.NotCheckable, "not fetched: no route"},
		{Subject{Certificate: saved, File: session.Unreadable}, retirement.NotCheckable,
			"the file saved at 2026-02-08T12:00:00Z cannot be read"},
		{Subject{Certificate: saved, File: session.Unreadable, Fetched: other}, retirement.Fail,
			"the file saved at 2026-02-08T12:00:00Z cannot be read, the service now serves a certificate that differs from the one saved at 2026-02-08T12:00:00Z"},
		{Subject{Certificate: saved, File: session.Unchanged, FetchProblem: "no route"}, retirement.NotCheckable,
			"the copy saved at 2026-02-08T12:00:00Z is unchanged, not fetched: no route"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: other}, retirement.Fail,
			gone + "the service now serves a certificate that differs from the one saved at 2026-02-08T12:00:00Z"},
	} {
		got := c.subject.Findings()[0]
		must.Hold(t, got == (retirement.Check{Name: CertificateOnFile, Result: c.result, Detail: c.detail}), c.subject, got)
	}
}

// TestSerialNumbersAreRetiredOnce checks the requests of testdata/serials.txtar, with a status and serial numbers each.
func TestSerialNumbersAreRetiredOnce(t *testing.T) {
	texttest.Run(t, "serials", func(_ *testing.T, text string) string {
		return texttest.Answers(text, func(input string) (output string) {
			var requests []*retirement.Request
			for i, line := range strings.Split(input, "\n") {
				status, serials, _ := strings.Cut(line, ": ")
				r := modeltest.RetirementOf(fmt.Sprint("r", i+1), "forest", "f19", "2026-01-20", "", "Ann", 20e6)
				r.AllInvoicesSettled, r.Status, r.SerialNumbers = model.Yes, retirement.Status(status), nil
				if serials != "" {
					r.SerialNumbers = strings.Split(serials, ", ")
				}
				requests = append(requests, r)
			}
			for i, check := range RetiredOnce(append(requests, nil))[:len(requests)] {
				output += fmt.Sprintf("%s %s: %s\n", requests[i].ID, check.Result, check.Detail)
				for _, failed := range (Request{Retirement: *requests[i]}).FailedChecks() {
					output += fmt.Sprintln(requests[i].ID, "fails", failed)
				}
			}
			return output
		})
	})
}

func TestCertificatesAreReadTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		ctx, end := context.WithCancel(t.Context())
		goOn, done := make(chan struct{}), make(chan error)
		go func() {
			done <- NewRecords(nil).check(ctx, make([]Request, 9), &Auditor{Progress: func(string, ...any) {
				begun.Add(1)
				<-goOn
			}})
		}()
		for _, want := range []int64{2, 3, 4} {
			if synctest.Wait(); begun.Load() != want {
				t.Errorf("%d reads started, want %d", begun.Load(), want)
			}
			goOn <- struct{}{}
		}
		end()
		close(goOn)
		err := <-done
		must.Hold(t, errors.Is(err, context.Canceled) && begun.Load() <= 5, begun.Load(), err)
	})
}
