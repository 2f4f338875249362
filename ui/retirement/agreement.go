package retirement

import (
	"context"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
)

// agreements are what came of holding the certificates that were saved against
// the answers. One text is read at a time: whoever walks down the ledger waits for
// none of them.
type agreements struct {
	read  func(ctx context.Context, path string) model.CertificateText
	found map[string]agreement
	busy  bool
}

// agreement is what came of a request.
type agreement struct {
	id string
	of compared
	is model.Check
}

// compared is what was held against each other: what another answer or another
// file says is not known.
type compared struct {
	answer *model.Retirement
	sha256 string
	status session.FileStatus
}

func comparedOf(r ledger.Row) compared { return compared{r.Answer, r.Certificate.SHA256, r.FileStatus} }

// reads reports whether the text of the certificate is held against the answer.
func (a *agreements) reads(r ledger.Row) bool {
	return a.read != nil && r.Answer != nil && r.Answer.Status == model.Complete && r.Certificate.Path != ""
}

// ask reads the certificate of a request, unless that was done.
func (a *agreements) ask(r ledger.Row) effect.Effect {
	now := comparedOf(r)
	if a.busy || !a.reads(r) || now.status.Wrong() != "" || a.found[r.ID].of == now {
		return nil
	}
	a.busy = true
	read, path := a.read, r.Certificate.Path
	return effect.Work(func(ctx context.Context) any {
		return agreement{r.ID, now, model.CheckCertificateAgrees(*now.answer, read(ctx, path))}
	})
}

func (a *agreements) take(found agreement) {
	a.busy = false
	a.found[found.id] = found
}

// of returns the check of a request as a list: none where there is nothing to
// read.
func (a *agreements) of(r ledger.Row) []model.Check {
	switch found := a.found[r.ID]; {
	case !a.reads(r):
		return nil
	case r.FileStatus.Wrong() != "":
		// Nothing is vouched for by a file that is not what was saved.
		return []model.Check{{Name: model.CertificateAgrees, Result: model.NotCheckable, Detail: model.SavedFile(r.FileStatus.Wrong())}}
	case found.of == comparedOf(r):
		return []model.Check{found.is}
	}
	return []model.Check{{Name: model.CertificateAgrees, Result: model.NotCheckable, Detail: "its text is being read …"}}
}
