package cli

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
)

// findings are what this machine knows of retirement requests beside the
// answers of the service.
type findings struct {
	entries map[string]store.LedgerEntry
	// ids are the requests of the ledger and those that were looked up now;
	// overlaps are those whose serial numbers another of them holds, too.
	ids      []string
	overlaps map[string][]model.SerialOverlap
	// facts and sightings are what people told; facts is nil for none.
	facts     *model.BuyerFacts
	sightings []model.Sighting
	// calls are those of the journal, by the request that they went into.
	calls map[string][]model.JournalEntry
}

// newFindings holds the requests that were looked up now against the ledger of
// a service. Without a ledger they are held against each other.
func (a *app) newFindings(ctx context.Context, local *store.Store, origin string, now []model.Retirement) *findings {
	f := &findings{entries: make(map[string]store.LedgerEntry), overlaps: make(map[string][]model.SerialOverlap)}
	entries, err := local.Ledger(ctx, origin)
	if err != nil {
		a.log().Warn("the ledger was not read", "error", err)
	}
	answers := make(map[string]model.Retirement)
	for _, e := range entries {
		f.entries[e.ID] = e
		if e.Answer != nil {
			answers[e.ID] = *e.Answer
		}
	}
	for _, r := range now {
		answers[r.ID] = r
	}
	f.compare(answers)
	if err := f.readTold(ctx, local, origin); err != nil {
		a.log().Warn("what people told was not read", "error", err)
	}
	calls, err := a.journaled(ctx, origin)
	if err != nil {
		a.log().Warn("the journal was not read", "error", err)
	}
	var newest []*model.Retirement
	for _, r := range answers {
		newest = append(newest, &r)
	}
	f.calls = model.FollowCalls(calls, newest)
	return f
}

// readTold reads what people told of the credits of a service.
func (f *findings) readTold(ctx context.Context, local *store.Store, origin string) error {
	facts, err := local.Facts(ctx, origin)
	if err != nil {
		return err
	}
	if len(facts) > 0 {
		f.facts = model.NewBuyerFacts(facts)
	}
	f.sightings, err = local.Sightings(ctx, origin)
	return err
}

// addTo adds to the source of evidence what the findings say of its request.
func (f *findings) addTo(ctx context.Context, s *model.EvidenceSource, now fetched) {
	kept, state := f.entries[s.Retirement.ID].Certificate, f.certificate(s.Retirement.ID, now)
	var text model.CertificateText
	switch {
	case now.saved != nil:
		text = certificateText(ctx, now.saved.Path)
	case state.Wrong != "":
		text.Unread = "the file that was saved " + state.Wrong
	default:
		text = certificateText(ctx, kept.Path)
	}
	if now.saved == nil && kept.Path != "" {
		s.Certificate = model.EvidenceCertificate{File: filepath.Base(kept.Path), SHA256: kept.SHA256, FetchedAt: kept.FetchedAt}
	}
	agrees := model.CheckCertificateAgrees(s.Retirement, text)
	s.Findings = slices.Concat(f.of(s.Retirement, state), []model.Check{agrees}, s.Findings)
	s.Facts, s.Sightings, s.Calls = f.facts, f.sightings, f.calls[s.Retirement.ID]
}

// compare finds the serial numbers that two requests hold, in the order of
// their ids: the same answers are told in the same words.
func (f *findings) compare(answers map[string]model.Retirement) {
	var serials []model.OwnedSerial
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		for _, s := range answers[id].Serials() {
			serials = append(serials, model.OwnedSerial{Serial: s, Owner: len(f.ids)})
		}
		f.ids = append(f.ids, id)
	}
	for _, o := range model.RetiredTwice(serials) {
		for _, owner := range [...]int{o.A.Owner, o.B.Owner} {
			f.overlaps[f.ids[owner]] = append(f.overlaps[f.ids[owner]], o)
		}
	}
}

// fetched is what came of fetching a certificate now. The zero value says that
// nobody tried.
type fetched struct {
	saved *api.Certificate
	err   error
}

// of returns the checks of a request that the findings allow.
func (f *findings) of(r model.Retirement, state model.CertificateState) []model.Check {
	return []model.Check{
		model.CheckCertificateOnFile(state),
		model.CheckRetiredOnce(r, f.overlaps[r.ID], func(owner int) string { return f.ids[owner] }),
	}
}

func (f *findings) certificate(id string, now fetched) model.CertificateState {
	kept := f.entries[id].Certificate
	state := model.CertificateState{Saved: model.At(kept.FetchedAt)}
	if kept.Path != "" {
		state.Wrong = session.ProveFile(kept.Path, kept.SHA256).Wrong()
	}
	switch {
	case now.err != nil:
		state.Failed = explain(ran{now.err}).what
	case now.saved != nil:
		state.Fetched = true
		state.Superseded = kept.Path != "" && now.saved.SHA256 != kept.SHA256
	}
	return state
}

// unchanged is the file of the certificate that was saved for a request and is
// what it was, empty for none.
func (f *findings) unchanged(id string) string {
	if kept := f.entries[id].Certificate; kept.Path != "" && session.ProveFile(kept.Path, kept.SHA256) == session.Unchanged {
		return kept.Path
	}
	return ""
}

// firstFetched is when the ledger says that a certificate was fetched first,
// and the zero time if the ledger does not have that one.
func (f *findings) firstFetched(a *lookUpResult) time.Time {
	if kept := f.entries[a.id].Certificate; kept.SHA256 == a.certificate.SHA256 {
		return kept.FetchedAt
	}
	return time.Time{}
}

// known are the findings on the requests that were found.
func (r *retirementRun) known(ctx context.Context) *findings {
	var answers []model.Retirement
	for _, a := range r.found {
		answers = append(answers, a.retirement)
	}
	return r.newFindings(ctx, r.details.store, r.baseURL, answers)
}

// sources are what the evidence of the look-ups is made of, in the order of
// the ids: also of those that failed, which are left out of it. They are found
// once: what is printed, filed and packed says the same.
func (r *retirementRun) sources(ctx context.Context) []model.EvidenceSource {
	if r.findings != nil {
		return r.told
	}
	r.findings, r.told = r.known(ctx), make([]model.EvidenceSource, len(r.results))
	for i, a := range r.results {
		if a.err != nil {
			r.told[i] = model.EvidenceSource{Retirement: model.Retirement{ID: a.id}, LeftOut: explain(ran{a.err}).what}
			continue
		}
		r.told[i] = r.source(ctx, a, r.findings)
	}
	return r.told
}

func (r *retirementRun) source(ctx context.Context, a *lookUpResult, known *findings) model.EvidenceSource {
	project, found := r.details.known[a.retirement.ProjectID]
	s := model.EvidenceSource{Retirement: a.retirement, Project: project, ProjectKnown: found}
	known.addTo(ctx, &s, fetched{a.certificate, a.certificateErr})
	if c := a.certificate; c != nil {
		s.Certificate = model.EvidenceCertificate{File: filepath.Base(c.Path), SHA256: c.SHA256, FetchedAt: c.FetchedAt}
	}
	return s
}
