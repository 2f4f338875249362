package retirement

import (
	"context"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
)

// textChecks compare the texts of certificates with their requests. One certificate is read at a time.
type textChecks struct {
	read func(ctx context.Context, path string) (pdftext.Content, error)
	done map[textSubject]retirement.Check
	busy bool
}

// textSubject is the input of a check.
type textSubject struct {
	answer *retirement.Request
	sha256 string
	file   session.FileStatus
}

func subjectOf(r ledger.Row) textSubject {
	return textSubject{r.Answer, r.Certificate.SHA256, r.FileStatus}
}

func (c *textChecks) applies(r ledger.Row) bool {
	return c.read != nil && r.Answer != nil && r.Answer.Status == retirement.Complete && r.Certificate.Path != ""
}

func (c *textChecks) of(r ledger.Row) retirement.Check {
	if !c.applies(r) {
		return retirement.Check{}
	}
	if r.FileStatus.Wrong() != "" {
		return audit.Subject{Answer: r.Answer, File: r.FileStatus}.CheckText(nil)
	}
	if check, done := c.done[subjectOf(r)]; done {
		return check
	}
	return retirement.Check{Name: audit.CertificateAgrees, Result: retirement.NotCheckable, Detail: "reading its text …"}
}

func (t *Tab) readOn() effect.Effect {
	if !t.active || t.texts.busy {
		return nil
	}
	for r := range t.panes.ledger.Shown() {
		if e := t.readText(r); e != nil {
			return e
		}
	}
	return nil
}

func (t *Tab) readText(r ledger.Row) effect.Effect {
	c, now := &t.texts, subjectOf(r)
	if _, done := c.done[now]; c.busy || done || !c.applies(r) || now.file.Wrong() != "" {
		return nil
	}
	c.busy = true
	subject := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus}
	return effect.Work(func(ctx context.Context) any {
		check := subject.CheckText(func(path string) (pdftext.Content, error) { return c.read(ctx, path) })
		return effect.Then(func() effect.Effect {
			c.busy, c.done[now] = false, check
			return effect.Batch(t.refreshed(t.panes.ledger.Tally()), t.readOn())
		})
	})
}
