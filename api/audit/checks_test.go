package audit

import (
	"context"
	"errors"
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
)

func TestCertificateText(t *testing.T) {
	const verra, missing = modeltest.Verra, "not found in its text: "
	const sound = "15,000 t retired for Your Customer Ltd " + verra + " on 2026-02-08"
	agrees := retirement.Check{Name: CertificateAgrees, Result: retirement.Pass, Detail: "quantity, beneficiaries and serial numbers"}
	not := func(detail string) retirement.Check {
		return retirement.Check{Name: CertificateAgrees, Result: retirement.NotCheckable, Detail: detail}
	}
	damaged := func(err error) retirement.Check {
		return retirement.Check{Name: CertificateAgrees, Result: retirement.Fail, Detail: err.Error()}
	}
	shows := func(text string) pdftext.Content {
		return pdftext.Content{Pages: [][]string{strings.Split(text, "\n")}}
	}
	without := func(old, now string) pdftext.Content { return shows(strings.Replace(sound, old, now, 1)) }
	pdf := pdftext.Content{Media: "application/pdf"}
	for name, c := range map[string]struct {
		content pdftext.Content
		err     error
		want    retirement.Check
	}{
		"one value a line":       {shows("15,000 t retired for\nYour Customer Ltd\n" + verra + "\non 2026-02-08"), nil, agrees},
		"broken serial number":   {shows("Quantity: 15000\n\nYOUR  CUSTOMER\nLtd\n" + verra[:30] + "\n      " + verra[30:]), nil, agrees},
		"grouped by full stops":  {shows("15.000 tCO2e " + verra + " Your Customer Ltd"), nil, agrees},
		"grouped by blanks":      {shows("15 000 t, " + verra + " Your Customer Ltd"), nil, agrees},
		"grouped by apostrophes": {shows("Beneficiary: Your Customer Ltd\nCredits retired: 15’000\n" + verra + "\n4 pages"), nil, agrees},
		"a word before the name": {without("Your", "Four Your"), nil, agrees},
		"longer quantity":        {without("15,000", "115,000"), nil, not(missing + "the quantity 15,000 t")},
		"more groups":            {without("15,000", "15,000,000"), nil, not(missing + "the quantity 15,000 t")},
		"group before":           {without("15,000", "1 15,000"), nil, not(missing + "the quantity 15,000 t")},
		"another unit":           {without("15,000 t", "15,000 pages"), nil, not(missing + "the quantity 15,000 t")},
		"another name":           {without("Customer", "Competitor"), nil, not(missing + "the beneficiary Your Customer Ltd")},
		"longer name":            {without("Your", "FourYour"), nil, not(missing + "the beneficiary Your Customer Ltd")},
		"another serial number":  {without("940097954", "940097955"), nil, not(missing + "the serial number " + verra)},
		"longer serial number":   {without(verra, verra+"1"), nil, not(missing + "the serial number " + verra)},
		"cut":                    {pdftext.Content{Pages: [][]string{{"part"}}, Cut: true}, nil, not("only part of its text is readable")},
		"empty":                  {shows(" \n\f"), nil, not("its text is empty")},
		"picture":                {pdf, pdftext.ErrPicture, not("the certificate is a picture")},
		"no reader":              {pdf, pdftext.ErrNoReader, not(pdftext.ErrNoReader.Error())},
		"unreadable":             {pdftext.Content{}, fs.ErrPermission, not("the file cannot be read")},
		"damaged":                {pdf, pdftext.ErrDamaged, damaged(pdftext.ErrDamaged)},
		"other file":             {pdf, pdftext.ErrOther, damaged(pdftext.ErrOther)},
	} {
		r := modeltest.RetirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Your Customer Ltd", 15000e6)
		s := Subject{Answer: r, Certificate: retirement.Certificate{Path: "a.pdf"}}
		got := s.CheckText(func(string) (pdftext.Content, error) { return c.content, c.err })
		must.Hold(t, got == c.want, name, got)
	}
	must.Equal(t, (Subject{}).CheckText(nil), not("no certificate was saved"), "without a certificate")
	// Many certificates define their unit, such as "1 VCU = 1 tonne".
	one := modeltest.RetirementOf("00m1", "003a", "004a", "2026-02-08", verra, "Ltd", 1e6)
	result, detail := compareText(*one, shows("Ltd "+verra+" 1 VCU = 1 tonne"))
	must.Hold(t, result == retirement.NotCheckable, "one tonne", detail)
}

func TestCertificateOnFile(t *testing.T) {
	saved := retirement.Certificate{Path: "c.pdf", SHA256: "1", FetchedAt: time.Date(2026, 2, 8, 12, 0, 0, 733698888, time.UTC)}
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
		{Subject{Certificate: saved, File: session.Unchanged, Fetched: same}, retirement.Pass, "unchanged since 2026-02-08T12:00:00Z"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: same}, retirement.Fail, gone + "a new download is identical to the saved file"},
		{Subject{FetchProblem: "no route"}, retirement.Fail, "not fetched: no route"},
		{Subject{Certificate: saved, File: session.Gone, Fetched: other}, retirement.Fail,
			gone + "the service now serves a certificate that differs from the one saved at 2026-02-08T12:00:00Z"},
	} {
		got := c.subject.Findings()[0]
		must.Hold(t, got == (retirement.Check{Name: CertificateOnFile, Result: c.result, Detail: c.detail}), c.subject, got)
	}
}

func TestUnreadableSerialNumbersFail(t *testing.T) {
	for _, c := range []struct {
		status  retirement.Status
		serials []string
		want    string
	}{
		{retirement.Complete, []string{"FOO-BAR-1"}, "1 of 1 serial number in an unknown format"},
		{retirement.Complete, []string{"ART-GY-102-2019-3-1 to 20", "FOO"}, "1 of 2 serial numbers in an unknown format"},
		{retirement.Complete, nil, "no serial numbers are listed"},
		{retirement.Complete, []string{"ART-GY-102-2019-3-1 to 20"}, ""},
		{retirement.InProgress, nil, ""},
	} {
		r := modeltest.RetirementOf("r1", "forest", "f19", "2026-01-20", "", "Ann", 20e6)
		r.AllInvoicesSettled, r.Status, r.SerialNumbers = model.Yes, c.status, c.serials
		failed := Request{Retirement: *r}.FailedChecks()
		must.Hold(t, (len(failed) > 0) == (c.want != "") && (c.want == "" || failed[0] == (FailedCheck{"r1", retirement.SerialsSumToWholeTonnes, c.want})),
			c.status, c.serials, failed)
	}
}

func TestSharedSerialsFailBothRequests(t *testing.T) {
	const art = "ART-GY-102-2019-3-"
	checks := RetiredOnce([]*retirement.Request{
		{ID: "0", SerialNumbers: []string{art + "1 to 10"}}, {ID: "1", SerialNumbers: []string{art + "5000 to 6000"}}, {ID: "2", SerialNumbers: []string{art + "4 to 7"}}, nil, {ID: "3"},
	})
	for i, want := range map[int]retirement.Check{
		0: {Name: SerialsRetiredOnce, Result: retirement.Fail, Detail: "ART 4 to 7 also retired by 2"},
		1: {Name: SerialsRetiredOnce, Result: retirement.Pass, Detail: "no other request of the ledger has them"},
		2: {Name: SerialsRetiredOnce, Result: retirement.Fail, Detail: "ART 4 to 7 also retired by 0"},
		4: {Name: SerialsRetiredOnce, Result: retirement.NotCheckable, Detail: "not complete yet"},
	} {
		must.Equal(t, checks[i], want, i)
	}
}

func TestPossiblySharedSerialsDoNotPass(t *testing.T) {
	verra := modeltest.Verra
	other := func(old, now string) string { return strings.Replace(verra, old, now, 1) }
	for _, c := range []struct {
		one, other string
		want       retirement.Result
		detail     string
	}{
		{"FOO-BAR-1", "FOO-BAR-1", retirement.Fail, "the same text FOO-BAR-1 also in r2"},
		{strings.ToLower(verra), strings.ToLower(verra), retirement.Fail, "the same text 19334-"},
		{"FOO-BAR-1", "FOO-BAR-2", retirement.NotCheckable, "in an unknown format"},
		{"pending", "pending", retirement.NotCheckable, "in an unknown format"},
		{verra, verra, retirement.Fail, "Verra 940,082,955 to 940,097,954 also retired by r2"},
		{verra, verra[:len(verra)-1] + "0", retirement.NotCheckable, "Verra 940,082,955 to 940,097,954 also in r2, with another batch, programme or flag"},
		{verra, other("19334-", "19335-"), retirement.NotCheckable, "also in r2"},
		{verra, other("-VER-", "-VMR-"), retirement.NotCheckable, "also in r2"},
		{verra, other("-4268-", "-4269-"), retirement.Pass, ""},
		{verra, other("01062024", "01062023"), retirement.Pass, ""},
		{verra, "19335-940097955-940097959-VCS-VCU-576-VER-US-14-4268-01062024-31122024-0", retirement.Pass, ""},
	} {
		one, two := retirement.Request{ID: "r1", SerialNumbers: []string{c.one}}, retirement.Request{ID: "r2", SerialNumbers: []string{c.other}}
		got := RetiredOnce([]*retirement.Request{&one, &two})[0]
		must.Hold(t, got.Result == c.want && strings.Contains(got.Detail, c.detail), c.one, c.other, got)
	}
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
