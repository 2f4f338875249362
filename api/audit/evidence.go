// Package audit creates and verifies audit evidence of retirements. An Auditor looks up
// requests, reads the records of this machine (Records, Ledger), checks the requests
// (Examine) and writes evidence files or packs. A pack is a zip file with evidence,
// certificates, API responses and a hash of each file. CloseMonth sums up a month, and
// VerifyPack checks a pack offline. The package prints nothing; callers show the results.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model/file/atomicfile"
	"tonne/model/file/localfile"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// Evidence is a set of checked requests that can be written to a file or a pack.
type Evidence struct {
	// Requests have the order of the answers.
	Requests []Request
	Records  *Records
	auditor  *Auditor
	costed   bool
}

// Examine checks the requests of answers. It reads the ledger if l is nil. The error is ctx.Err().
func (a *Auditor) Examine(ctx context.Context, l *Ledger, answers []Answer) (*Evidence, error) {
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
			Body: answer.Body, fetched: answer.Certificate, unfetched: a.unfetched(answer.CertificateErr),
		}
	}
	return a.examine(ctx, l, requests)
}

func (a *Auditor) examine(ctx context.Context, l *Ledger, requests []Request) (*Evidence, error) {
	var found []retirement.Request
	for _, r := range requests {
		if r.LeftOut == "" {
			found = append(found, r.Retirement)
		}
	}
	e := &Evidence{Requests: requests, Records: a.Records(ctx, l, found...), auditor: a}
	return e, e.Records.check(ctx, requests, a)
}

// unfetched explains why a certificate was not fetched. Its host is not the service.
func (a *Auditor) unfetched(err error) string {
	if call, ok := errors.AsType[*api.Error](err); ok {
		return call.OfHost()
	}
	return a.explain(err)
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

// Pack writes the evidence to a file with WritePack.
func (e *Evidence) Pack(to localfile.Target, showTaxIDs bool, signer ssh.Signer, more ...PackFile) error {
	return WritePack(to, e.auditor.Source(showTaxIDs), e.packed(), signer, more...)
}

// packed returns the requests for a pack. A pack refers only to certificates that it
// contains, evidence also to certificates on this machine.
func (e *Evidence) packed() []Request {
	packed := slices.Clone(e.Requests)
	for i := range packed {
		r := &packed[i]
		kept := e.Records.Certificates[r.Retirement.ID]
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
	var ids, fetched []string
	var lookUps []store.LookUp
	at := a.Now()
	for i := range answers {
		if answers[i].Err == nil {
			id := answers[i].ID
			ids, lookUps = append(ids, id), append(lookUps, store.LookUp{ID: id, At: at, Answer: &answers[i].Retirement})
			if answers[i].Certificate != nil {
				fetched = append(fetched, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ledger := a.Store.Of(a.Origin).Ledger
	if err := ledger.Remember(ctx, at, ids...); err != nil {
		return err
	}
	if err := ledger.Record(ctx, lookUps...); err != nil {
		return err
	}
	entries, err := ledger.EntriesOf(ctx, fetched)
	if err != nil {
		return err
	}
	return a.keep(ctx, answers, certificatesOf(entries), dir)
}

// keep adds certificates to the ledger. Those in dir stay there.
func (a *Auditor) keep(ctx context.Context, answers []Answer, ledger map[string]retirement.Certificate,
	dir string) error {
	fetched := slices.DeleteFunc(slices.Clone(answers), func(answer Answer) bool {
		kept := ledger[answer.ID]
		return answer.Certificate == nil || kept.Path != "" && (dir == "" || kept.SHA256 != answer.Certificate.SHA256)
	})
	const atOnce = 8 // each copy waits for the disk
	saved, errs := make([]retirement.Certificate, len(fetched)), make([]error, len(fetched))
	worker.Each(ctx, atOnce, len(fetched), func(i int) {
		saved[i] = *fetched[i].Certificate
		if kept := ledger[fetched[i].ID]; kept.Path != "" {
			saved[i].FetchedAt = kept.FetchedAt
		}
		if dir != "" {
			saved[i].Path, errs[i] = filepath.Abs(saved[i].Path)
		} else {
			saved[i].Path, errs[i] = a.copy(saved[i])
		}
	})
	entries := make(map[string]retirement.Certificate)
	for i, answer := range fetched {
		if errs[i] == nil && saved[i].Path != "" {
			entries[answer.ID] = saved[i]
		}
	}
	if err := cmp.Or(cmp.Or(errs...), a.Store.Of(a.Origin).Ledger.SetCertificates(ctx, entries)); err != nil {
		return err
	}
	for id, certificate := range entries {
		if a.Kept != nil {
			a.Kept(id, certificate)
		}
	}
	return nil
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

// CheckPath returns an error if the extension of path is not a format.
func CheckPath(path string) error {
	if !slices.Contains(formats, ending(path)) {
		return fmt.Errorf("%q does not end in %s", path, strings.Join(formats, ", "))
	}
	return nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// ManifestPath returns the path of the manifest of an evidence file.
func ManifestPath(path string) string { return path + ".manifest.json" }

// Source identifies the origin of evidence.
type Source struct {
	CreatedAt time.Time
	// Service is the base URL, Version the version of the program.
	Service, Version string
	ShowTaxIDs       bool
}

// CheckTarget returns an error if evidence cannot be written to a file, with its manifest.
func CheckTarget(to localfile.Target) error {
	if err := to.Check(); err != nil {
		return err
	}
	return localfile.Target{Path: ManifestPath(to.Path), Overwrite: to.Overwrite}.Check()
}

// Write writes the evidence of requests to a file, in the format of its extension, and the
// manifest to ManifestPath.
func Write(to localfile.Target, from Source, requests []Request) error {
	if err := cmp.Or(CheckPath(to.Path), CheckTarget(to)); err != nil {
		return err
	}
	t := newTable(from, requests)
	t.manifest.File = filepath.Base(to.Path)
	err := to.Write(func(w *os.File) (err error) {
		t.manifest.SHA256, err = hashed(w, func(w io.Writer) error { return t.write(w, ending(to.Path), false) })
		return err
	})
	if err != nil {
		return err
	}
	manifest, err := t.manifest.bytes()
	if err != nil {
		return err
	}
	return localfile.Target{Path: ManifestPath(to.Path), Overwrite: to.Overwrite}.WriteBytes(manifest)
}

// Stream writes the evidence of requests to w in the format of an extension, and returns
// its SHA-256 in hexadecimal.
func Stream(w io.Writer, ending string, from Source, requests []Request) (sum string, err error) {
	return hashed(w, func(w io.Writer) error { return newTable(from, requests).write(w, ending, false) })
}

// File describes an evidence file to write, or a pack if its path ends in PackEnding.
// WriteFile looks up the requests of a pack again.
type File struct {
	// Path must not exist. Otherwise the error is fs.ErrExist.
	Path string
	// ShowTaxIDs writes tax ids in full.
	ShowTaxIDs bool
	// Of are the requests that were found, LeftOut those that were not found.
	Of, LeftOut []Request
}

// PackEnding is the file name extension of an evidence pack, PartialEnding what follows the name
// of the directory with the certificates of an incomplete one.
const (
	PackEnding    = ".zip"
	PartialEnding = ".partial"
)

// Pack reports whether the file is an evidence pack.
func (f File) Pack() bool { return ending(f.Path) == PackEnding }

// Written describes a file that was written.
type Written struct {
	Requests, Certificates, LeftOut int
	// Failed are the failed checks of its requests.
	Failed []FailedCheck
}

// ErrNothingFound is returned for a pack of which no request could be looked up.
var ErrNothingFound = errors.New("none of the requests could be looked up")

// WriteFile writes evidence or a pack. It writes nothing if records of this machine cannot
// be read, since evidence must not report them as missing. The error does not name the path.
func (a *Auditor) WriteFile(ctx context.Context, f File) (Written, error) {
	w, err := a.writeFile(ctx, f)
	return w, localfile.Plain(err)
}

func (a *Auditor) writeFile(ctx context.Context, f File) (Written, error) {
	to := localfile.Target{Path: f.Path}
	if f.Pack() {
		return a.writePack(ctx, f)
	}
	if err := CheckTarget(to); err != nil {
		return Written{}, err
	}
	e, err := a.examine(ctx, nil, slices.Concat(f.Of, f.LeftOut))
	if err = cmp.Or(err, e.Records.Problem); err != nil {
		return Written{}, err
	}
	e.AddCosts(ctx)
	return written(e.Requests), Write(to, a.Source(f.ShowTaxIDs), e.Requests)
}

func written(requests []Request) (w Written) {
	for _, r := range requests {
		w.Failed = append(w.Failed, r.FailedChecks()...)
		if r.LeftOut != "" {
			w.LeftOut++
			continue
		}
		w.Requests++
		if r.Certificate.Path != "" {
			w.Certificates++
		}
	}
	return w
}

func (a *Auditor) writePack(ctx context.Context, f File) (w Written, err error) {
	to := localfile.Target{Path: f.Path}
	if err := to.Check(); err != nil {
		return w, err
	}
	fetched, err := OpenFetched(f.Path+PartialEnding, a.Now)
	if err != nil {
		return w, err
	}
	complete := false
	defer func() { err = cmp.Or(err, fetched.Close(complete)) }()
	var ids []string
	for _, r := range slices.Concat(f.Of, f.LeftOut) {
		ids = append(ids, r.Retirement.ID)
	}
	answers, err := a.LookUp(api.InBulk(ctx), LookUp{KeepBodies: true, Certificates: fetched.Dir(), Fetched: fetched}, ids)
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(answers, func(a Answer) bool { return a.Err == nil }) {
		return w, ErrNothingFound
	}
	if err := a.Enter(ctx, answers, ""); err != nil && a.Warn != nil {
		a.Warn("cannot write to the ledger", "error", err)
	}
	e, err := a.Examine(ctx, nil, answers)
	if err = cmp.Or(err, e.Records.Problem); err != nil {
		return w, err
	}
	e.AddCosts(ctx)
	w, err = written(e.packed()), e.Pack(to, f.ShowTaxIDs, nil)
	complete = err == nil && !slices.ContainsFunc(answers, Answer.Passes)
	return w, err
}
