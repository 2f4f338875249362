package audit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api/session"
	"tonne/model/atomicfile"
	"tonne/model/retirement"
	"tonne/model/store"
)

// Evidence is a set of checked requests that can be written to a file or a pack.
type Evidence struct {
	// Requests have the order of the answers.
	Requests []Request
	Records  *Records
	auditor  *Auditor
}

// Examine checks the requests of answers. The error is ctx.Err().
func (a *Auditor) Examine(ctx context.Context, answers []Answer) (*Evidence, error) {
	requests := make([]Request, len(answers))
	var projects []string
	for _, answer := range answers {
		if answer.Err == nil {
			projects = append(projects, answer.Retirement.ProjectID)
		}
	}
	known := a.Projects(ctx, projects)
	for i, answer := range answers {
		if answer.Err != nil {
			requests[i] = Request{Retirement: retirement.Request{ID: answer.ID}, LeftOut: a.explain(answer.Err)}
			continue
		}
		project, there := known[answer.Retirement.ProjectID]
		requests[i] = Request{
			Retirement: answer.Retirement, Project: project, ProjectKnown: there,
			Body: answer.Body, fetched: answer.Certificate, unfetched: a.explain(answer.CertificateErr),
		}
	}
	return a.examine(ctx, requests)
}

func (a *Auditor) examine(ctx context.Context, requests []Request) (*Evidence, error) {
	var found []retirement.Request
	for _, r := range requests {
		if r.LeftOut == "" {
			found = append(found, r.Retirement)
		}
	}
	e := &Evidence{Requests: requests, Records: a.Records(ctx, found...), auditor: a}
	return e, e.Records.check(ctx, requests, a)
}

func (a *Auditor) explain(err error) string {
	switch {
	case err == nil:
		return ""
	case a.Explain == nil:
		return err.Error()
	}
	return a.Explain(err)
}

// Pack writes the evidence to path with WritePack.
func (e *Evidence) Pack(path string, showTaxIDs bool, signer ssh.Signer, more ...PackFile) error {
	return WritePack(path, e.auditor.Source(showTaxIDs), e.packed(), signer, more...)
}

// packed returns the requests for a pack. A pack refers only to certificates that it
// contains, evidence also to certificates on this machine.
func (e *Evidence) packed() []Request {
	packed := slices.Clone(e.Requests)
	for i := range packed {
		r := &packed[i]
		kept := e.Records.Ledger[r.Retirement.ID].Certificate
		switch {
		case r.fetched == nil && (kept.Path == "" || session.VerifyFile(kept.Path, kept.SHA256) != session.Unchanged):
			r.Certificate = retirement.Certificate{}
		case r.fetched != nil && kept.SHA256 != r.fetched.SHA256:
			r.Certificate.FetchedAt = time.Time{}
		case r.fetched != nil:
			r.Certificate.FetchedAt = kept.FetchedAt
		}
	}
	return packed
}

// Source returns the source of evidence that is written now.
func (a *Auditor) Source(showTaxIDs bool) Source {
	return Source{CreatedAt: a.Now(), Service: a.Origin, Version: a.Version, ShowTaxIDs: showTaxIDs}
}

// Enter adds the requests that were found to the ledger, with the certificates that were
// saved in dir. The ledger keeps the first certificate of a request, and a check fails if
// the marketplace later serves another one. An empty dir means that the certificates were
// fetched only for a pack; new ones are then copied to KeepIn.
func (a *Auditor) Enter(ctx context.Context, answers []Answer, dir string) error {
	var ids []string
	var lookUps []store.LookUp
	at := a.Now()
	for i := range answers {
		if answers[i].Err == nil {
			id := answers[i].ID
			ids, lookUps = append(ids, id), append(lookUps, store.LookUp{ID: id, At: at, Answer: &answers[i].Retirement})
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := a.Store.Of(a.Origin).Ledger.Remember(ctx, at, ids...); err != nil {
		return err
	}
	if err := a.Store.Of(a.Origin).Ledger.Record(ctx, lookUps...); err != nil {
		return err
	}
	entries, err := a.Store.Of(a.Origin).Ledger.Entries(ctx)
	ledger := NewRecords(entries).Ledger
	for _, answer := range answers {
		kept := ledger[answer.ID].Certificate
		if err != nil || answer.Certificate == nil || kept.Path != "" && (dir == "" || kept.SHA256 != answer.Certificate.SHA256) {
			continue
		}
		err = a.keep(ctx, answer, kept, dir)
	}
	return err
}

func (a *Auditor) keep(ctx context.Context, answer Answer, kept retirement.Certificate, dir string) (err error) {
	saved := *answer.Certificate
	if kept.Path != "" {
		saved.FetchedAt = kept.FetchedAt
	}
	if dir != "" {
		saved.Path, err = filepath.Abs(saved.Path)
	} else {
		saved.Path, err = a.copy(saved)
	}
	if err == nil {
		err = a.Store.Of(a.Origin).Ledger.SetCertificate(ctx, answer.ID, saved)
	}
	if err == nil && a.Kept != nil {
		a.Kept(answer.ID, saved)
	}
	return err
}

// copy copies a certificate to KeepIn. Its hash is part of the path, because requests of
// two marketplaces may have the same id.
func (a *Auditor) copy(c retirement.Certificate) (string, error) {
	content, err := os.ReadFile(c.Path)
	if err != nil {
		return "", err
	}
	path := filepath.Join(a.KeepIn, c.SHA256[:16], filepath.Base(c.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, atomicfile.WriteFile(path, content, 0o600)
}
