package retirement

import (
	"context"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
)

type certificateChecks struct {
	read func(ctx context.Context, path string) audit.CertificateText
	done map[string]certificateCheck
	busy bool
}

type certificateCheck struct {
	id     string
	of     compared
	result model.Check
}

type compared struct {
	answer *model.Retirement
	sha256 string
	file   session.FileStatus
}

func comparedOf(r ledger.Row) compared { return compared{r.Answer, r.Certificate.SHA256, r.FileStatus} }

func (c *certificateChecks) applies(r ledger.Row) bool {
	return c.read != nil && r.Answer != nil && r.Answer.Status == model.Complete && r.Certificate.Path != ""
}

// start reads the certificate of a request, unless that was done.
func (c *certificateChecks) start(r ledger.Row) effect.Effect {
	now := comparedOf(r)
	if c.busy || !c.applies(r) || now.file.Wrong() != "" || c.done[r.ID].of == now {
		return nil
	}
	c.busy = true
	subject := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus}
	return effect.Work(func(ctx context.Context) any {
		return certificateCheck{r.ID, now, subject.CheckText(func(path string) audit.CertificateText { return c.read(ctx, path) })}
	})
}

func (c *certificateChecks) take(done certificateCheck) {
	c.busy = false
	c.done[done.id] = done
}

// of returns the check of a request, the zero value if there is nothing to read.
func (c *certificateChecks) of(r ledger.Row) model.Check {
	switch done := c.done[r.ID]; {
	case !c.applies(r):
		return model.Check{}
	case r.FileStatus.Wrong() != "":
		return audit.Subject{Answer: r.Answer, File: r.FileStatus}.CheckText(nil)
	case done.of == comparedOf(r):
		return done.result
	}
	return model.Check{Name: audit.CertificateAgrees, Result: model.NotCheckable, Detail: "its text is being read …"}
}
