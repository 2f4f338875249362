package audit

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/model/store"
)

// Evidence is what is filed of requests.
type Evidence struct {
	// Requests are in the order of the answers.
	Requests []Request
	Records  *Records
	auditor  *Auditor
	answers  []Answer
}

// Examine checks the requests of answers. The error is that ctx ended.
func (a *Auditor) Examine(ctx context.Context, answers []Answer) (*Evidence, error) {
	e := &Evidence{Requests: make([]Request, len(answers)), auditor: a, answers: answers}
	var found []model.Retirement
	var projects []string
	for _, answer := range answers {
		if answer.Err == nil {
			found, projects = append(found, answer.Retirement), append(projects, answer.Retirement.ProjectID)
		}
	}
	known := a.Projects(ctx, projects)
	var requests []*Request
	byID := make(map[string]Answer)
	for i, answer := range answers {
		r := &e.Requests[i]
		if r.Retirement = answer.Retirement; answer.Err != nil {
			r.Retirement, r.LeftOut = model.Retirement{ID: answer.ID}, a.explain(answer.Err)
			continue
		}
		r.Project, r.ProjectKnown = known[r.Retirement.ProjectID]
		requests, byID[answer.ID] = append(requests, r), answer
	}
	e.Records = a.Records(ctx, found...)
	return e, e.Records.check(ctx, requests, byID, a)
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

// PackOptions are what a pack has in addition to its requests.
type PackOptions struct {
	ShowTaxIDs bool
	// Signer signs the hashes; nil for an unsigned pack.
	Signer ssh.Signer
	// Month has the files of a closed month.
	Month []PackFile
}

// Pack writes a pack of the evidence to path, as WritePack does.
func (e *Evidence) Pack(path string, o PackOptions) error {
	return WritePack(path, e.auditor.Source(o.ShowTaxIDs), e.Packed(), o.Signer, o.Month...)
}

// Packed returns the requests as a pack has them. Evidence names the certificates
// that this machine has, a pack those that it contains.
func (e *Evidence) Packed() []Packed {
	packed := make([]Packed, len(e.Requests))
	for i, r := range e.Requests {
		a := e.answers[i]
		file := e.Records.Unchanged(a.ID)
		switch kept := e.Records.Ledger[a.ID].Certificate; {
		case a.Certificate != nil:
			file = a.Certificate.Path
			r.Certificate.FetchedAt = kept.FetchedAt
			if kept.SHA256 != a.Certificate.SHA256 {
				r.Certificate.FetchedAt = time.Time{}
			}
		case file == "" || r.LeftOut != "":
			file, r.Certificate = "", Certificate{}
		}
		packed[i] = Packed{Request: r, Answer: a.Body}
		if file != "" {
			packed[i].Content = func() ([]byte, error) { return os.ReadFile(file) }
		}
	}
	return packed
}

// Source says where evidence comes from that is written now.
func (a *Auditor) Source(showTaxIDs bool) Source {
	return Source{CreatedAt: a.Now(), Service: a.Origin, Version: a.Version, ShowTaxIDs: showTaxIDs}
}

// Enter enters the requests that were found in the ledger, with the certificates
// that were fetched with them into dir. Of several certificates the ledger keeps the
// first, and when it was fetched: the check on file fails if the marketplace serves
// another now. An empty dir says that they were fetched for a pack alone: the first
// is copied to the files of the program.
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
	if err := a.Store.Remember(ctx, a.Origin, at, ids...); err != nil {
		return err
	}
	if err := a.Store.Record(ctx, a.Origin, lookUps...); err != nil {
		return err
	}
	entries, err := a.Store.Ledger(ctx, a.Origin)
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

func (a *Auditor) keep(ctx context.Context, answer Answer, kept store.Certificate, dir string) (err error) {
	saved := store.Certificate(*answer.Certificate)
	if kept.Path != "" {
		saved.FetchedAt = kept.FetchedAt
	}
	if dir != "" {
		saved.Path, err = filepath.Abs(saved.Path)
	} else {
		saved.Path, err = a.copy(saved)
	}
	if err == nil {
		err = a.Store.SetCertificate(ctx, a.Origin, answer.ID, saved)
	}
	if err == nil && a.Kept != nil {
		a.Kept(answer.ID, saved)
	}
	return err
}

// copy copies a certificate to the files of the program. Its hash is part of the
// path: two marketplaces may have requests of one id.
func (a *Auditor) copy(c store.Certificate) (string, error) {
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
