package retirement

import (
	"context"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/retirement/ledger"
)

type textChecks struct {
	read func(ctx context.Context, path string) audit.CertificateText
	done map[string]textCheck
	busy bool
}

type textCheck struct {
	id     string
	of     textSubject
	result model.Check
}

type textSubject struct {
	answer *model.Retirement
	sha256 string
	file   session.FileStatus
}

func subjectOf(r ledger.Row) textSubject {
	return textSubject{r.Answer, r.Certificate.SHA256, r.FileStatus}
}

func (c *textChecks) applies(r ledger.Row) bool {
	return c.read != nil && r.Answer != nil && r.Answer.Status == model.Complete && r.Certificate.Path != ""
}

func (c *textChecks) start(r ledger.Row) func(context.Context) textCheck {
	now := subjectOf(r)
	if c.busy || !c.applies(r) || now.file.Wrong() != "" || c.done[r.ID].of == now {
		return nil
	}
	c.busy = true
	subject := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus}
	return func(ctx context.Context) textCheck {
		return textCheck{r.ID, now, subject.CheckText(func(path string) audit.CertificateText { return c.read(ctx, path) })}
	}
}

func (c *textChecks) take(done textCheck) {
	c.busy = false
	c.done[done.id] = done
}

func (c *textChecks) of(r ledger.Row) model.Check {
	switch done := c.done[r.ID]; {
	case !c.applies(r):
		return model.Check{}
	case r.FileStatus.Wrong() != "":
		return audit.Subject{Answer: r.Answer, File: r.FileStatus}.CheckText(nil)
	case done.of == subjectOf(r):
		return done.result
	}
	return model.Check{Name: audit.CertificateAgrees, Result: model.NotCheckable, Detail: "its text is being read …"}
}
