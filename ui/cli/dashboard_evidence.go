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

// offer lets the dashboard file.
func (f filing) offer(o *ui.Options) {
	o.WriteEvidence, o.CheckEvidence, o.ReadCertificate = f.write, f.doubts, audit.ReadCertificate
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
	found, err := f.withFindings(ctx, file.Of)
	if err != nil {
		return retirement.Written{}, explained(err)
	}
	sources := slices.Concat(found, file.LeftOut)
	return written(sources), audit.Write(file.Path, f.app.evidenceSource(f.origin, file.ShowTaxIDs), sources)
}

// written says what is in evidence.
func written(sources []model.EvidenceSource) retirement.Written {
	var w retirement.Written
	for _, s := range sources {
		w.Doubts = append(w.Doubts, s.Doubts()...)
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

// doubts are what evidence of the sources would say against them. What cannot be
// read is told where they are written.
func (f filing) doubts(ctx context.Context, sources []model.EvidenceSource) []model.Doubt {
	found, _ := f.withFindings(ctx, sources)
	return written(found).Doubts
}

// withFindings adds the checks that the ledger allows to the sources of
// evidence, in place of those that the screen had. The error says what of this
// machine cannot be read.
func (f filing) withFindings(ctx context.Context, sources []model.EvidenceSource) ([]model.EvidenceSource, error) {
	var answers []model.Retirement
	for _, s := range sources {
		answers = append(answers, s.Retirement)
	}
	known := f.app.newFindings(ctx, f.local, f.origin, answers)
	found, each := slices.Clone(sources), make([]*model.EvidenceSource, len(sources))
	for i := range found {
		found[i].Findings, each[i] = nil, &found[i]
	}
	if err := known.addTo(ctx, each, f.app.newProgress().tell); err != nil {
		return found, err
	}
	return found, known.problem
}

// reading is what a command would have at hand.
func (f filing) reading(ctx context.Context) *reading {
	return &reading{client: f.client, baseURL: f.origin, details: f.app.newDetails(ctx, f.client, f.local), progress: f.app.newProgress()}
}

var errNothingFound = errors.New("none of the requests could be looked up")

// pack looks up the requests, fetches their certificates and packs both, as
// `tonne retirement --pack` does.
func (f filing) pack(ctx context.Context, file retirement.EvidenceFile) (w retirement.Written, err error) {
	r := &retirementRun{app: f.app, showTaxIDs: file.ShowTaxIDs, pack: packing{path: file.Path, kept: f.kept}, reading: f.reading(ctx)}
	if err := r.preparePack(ctx); err != nil {
		return w, explained(err)
	}
	defer r.pack.clean()
	var ids []string
	for _, s := range slices.Concat(file.Of, file.LeftOut) {
		ids = append(ids, s.Retirement.ID)
	}
	if err := r.lookUpAll(ctx, ids); err != nil {
		return w, err
	}
	if len(r.found) == 0 {
		return w, errNothingFound
	}
	r.enterLedger(ctx)
	packed, err := r.packed(ctx)
	if err != nil {
		return w, explained(err)
	}
	sources := make([]model.EvidenceSource, len(packed))
	for i, p := range packed {
		sources[i] = p.EvidenceSource
	}
	return written(sources), audit.WritePack(file.Path, r.evidenceSource(f.origin, file.ShowTaxIDs), packed, nil)
}

// explained is an error as it reads in a message of the dashboard.
func explained(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return errors.New(f.what)
	}
	return err
}

// books reads all trades of the inventory, and what this machine has of the
// requests, which the session follows.
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
