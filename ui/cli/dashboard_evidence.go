package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"tonne/api"
	"tonne/api/audit"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui"
	"tonne/ui/retirement"
)

// filing is what the dashboard's Retirements tab has this machine do: it writes
// evidence and packs, and reads what statements are made of.
type filing struct {
	// app says nothing on standard error: the screen is the dashboard's.
	app    *app
	client *api.Client
	local  *store.Store
	origin string
	// kept is told of certificates that are on this machine from now on.
	kept func(id string, c store.Certificate)
}

func (f filing) offer(o *ui.Options) {
	o.WriteEvidence, o.CheckEvidence, o.ReadCertificate = f.write, f.failedChecks, audit.ReadCertificate
	o.ReadBooks, o.Who = f.books, f.app.userName()
}

// quiet returns the app without its standard error.
func (a *app) quiet() *app {
	silent := &app{
		Process: a.Process, terminal: a.terminal, flags: a.flags, key: a.key, keySource: a.keySource, production: a.production, fleeting: a.fleeting,
		logger: a.logger, file: a.file,
	}
	silent.Stderr = io.Discard
	return silent
}

func (f filing) write(ctx context.Context, file retirement.EvidenceFile) (retirement.Written, error) {
	paths := []string{file.Path}
	if !file.Pack() {
		paths = append(paths, audit.ManifestPath(file.Path))
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !file.Replace {
			return retirement.Written{}, fs.ErrExist
		}
	}
	if file.Pack() {
		return f.pack(ctx, file)
	}
	found, err := f.checked(ctx, file.Of)
	if err != nil {
		return retirement.Written{}, explained(err)
	}
	sources := slices.Concat(found, file.LeftOut)
	return written(sources), audit.Write(file.Path, f.app.evidenceSource(f.origin, file.ShowTaxIDs), sources)
}

func written(sources []audit.Request) retirement.Written {
	var w retirement.Written
	for _, s := range sources {
		w.Doubts = append(w.Doubts, s.FailedChecks()...)
		if s.LeftOut != "" {
			w.LeftOut++
			continue
		}
		w.Requests++
		if s.Certificate.File != "" {
			w.Certificates++
		}
	}
	return w
}

// failedChecks leaves out records that cannot be read: writing evidence reports them.
func (f filing) failedChecks(ctx context.Context, sources []audit.Request) []audit.FailedCheck {
	found, _ := f.checked(ctx, sources)
	return written(found).Doubts
}

func (f filing) checked(ctx context.Context, sources []audit.Request) ([]audit.Request, error) {
	auditor := f.app.auditor(f.local, f.origin, f.app.newProgress())
	found, each := slices.Clone(sources), make([]*audit.Request, len(sources))
	answers := make([]model.Retirement, len(sources))
	for i := range found {
		answers[i], each[i] = found[i].Retirement, &found[i]
	}
	records := auditor.Records(ctx, answers...)
	if err := records.Check(ctx, each, nil, auditor.Progress); err != nil {
		return found, err
	}
	return found, unreadRecords(records.Problem)
}

func (f filing) reading(ctx context.Context) *reading {
	return &reading{client: f.client, baseURL: f.origin, details: f.app.newDetails(ctx, f.client, f.local), progress: f.app.newProgress()}
}

var errNothingFound = errors.New("none of the requests could be looked up")

func (f filing) pack(ctx context.Context, file retirement.EvidenceFile) (w retirement.Written, err error) {
	if err := audit.CheckPlace(file.Path); err != nil {
		return w, err
	}
	dir, err := os.MkdirTemp("", "tonne-pack-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	reading := f.reading(ctx)
	auditor := reading.auditor(f.app)
	auditor.Kept = f.kept
	answers, err := reading.fetch(ctx, slices.Concat(file.Of, file.LeftOut), dir)
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(answers, func(a audit.Answer) bool { return a.LeftOut == "" }) {
		return w, errNothingFound
	}
	if err := auditor.Enter(ctx, answers, ""); err != nil {
		f.app.log().Warn("the ledger was not written", "error", err)
	}
	evidence, err := auditor.Examine(ctx, answers, reading.details.known)
	if err == nil {
		err = unreadRecords(evidence.Records.Problem)
	}
	if err != nil {
		return w, explained(err)
	}
	var sources []audit.Request
	for _, p := range evidence.Packed() {
		sources = append(sources, p.Request)
	}
	return written(sources), evidence.Pack(file.Path, audit.PackOptions{ShowTaxIDs: file.ShowTaxIDs})
}

func (r *reading) fetch(ctx context.Context, requests []audit.Request, dir string) (answers []audit.Answer, err error) {
	var ids []string
	for _, s := range requests {
		ids = append(ids, s.Retirement.ID)
	}
	l := lookUp{
		client: r.client, keepAnswers: true, finish: func(ctx context.Context, a *lookUpResult) { a.fetchCertificate(ctx, r.client, dir) },
		emit: func(ctx context.Context, a *lookUpResult) error {
			if answers = append(answers, a.audited()); a.err == nil {
				r.details.want(ctx, a.retirement.ProjectID)
			}
			return nil
		},
	}
	err = l.run(ctx, ids)
	r.details.need(ctx, nil)
	return answers, err
}

// explained is an error as it reads in a message of the dashboard.
func explained(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return errors.New(f.what)
	}
	return err
}

func (f filing) books(ctx context.Context) (source model.StatementSource, err error) {
	r := f.reading(ctx)
	source.Now = f.app.Now()
	if source.Inventory, err = r.trades(ctx); err != nil {
		return source, explained(explain(err))
	}
	ledger, err := f.app.ledgerOf(ctx, f.local, f.origin)
	if err != nil {
		return source, explained(err)
	}
	return source, r.complete(ctx, &source, ledger)
}
