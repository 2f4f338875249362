package cli

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/audit"
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
	// now is what came of fetching certificates now, by request.
	now map[string]fetched
	// problem is why not all of it could be read, nil if it was; noLedger says
	// that the ledger was not.
	problem  error
	noLedger bool
}

// newFindings holds the requests that were looked up now against the ledger of
// a service. What cannot be read of this machine is a problem of the findings:
// nothing is said of it.
func (a *app) newFindings(ctx context.Context, local *store.Store, origin string, now []model.Retirement) *findings {
	entries, err := local.Ledger(ctx, origin)
	f, answers := findingsOf(entries, now)
	f.noLedger = err != nil || local.Problem() != nil
	toldErr := f.readTold(ctx, local, origin)
	calls, journalErr := a.journaled(ctx, origin)
	if err := cmp.Or(err, local.Problem(), toldErr, journalErr); err != nil {
		f.problem = failed("what this machine knows of the requests is in that file", "%v", err)
	}
	f.calls = model.FollowCalls(calls, slices.Collect(maps.Values(answers)))
	return f
}

// findingsOf holds requests of the ledger against each other, those that were
// looked up now by their new answers, which it returns with the others by id.
func findingsOf(entries []store.LedgerEntry, now []model.Retirement) (f *findings, answers map[string]*model.Retirement) {
	f = &findings{entries: make(map[string]store.LedgerEntry), overlaps: make(map[string][]model.SerialOverlap)}
	answers = make(map[string]*model.Retirement)
	for _, e := range entries {
		f.entries[e.ID] = e
		if e.Answer != nil {
			answers[e.Answer.ID] = e.Answer
		}
	}
	for _, r := range now {
		answers[r.ID] = &r
	}
	f.compare(answers)
	return f, answers
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

// certificatesAtOnce is how many are read at once: a process reads each.
const certificatesAtOnce = 2

// addTo adds to sources of evidence what the findings say of their requests, and
// reads their certificates. tell is told of each before. The error is that ctx
// ended: the sources are of no use then.
func (f *findings) addTo(ctx context.Context, sources []*model.EvidenceSource, tell func(format string, args ...any)) error {
	atOnce(ctx, certificatesAtOnce, len(sources), func(i int) {
		tell("checking %d of %d", i+1, len(sources))
		f.addToOne(ctx, sources[i])
	})
	return context.Cause(ctx)
}

// addToOne adds to a source what the findings say of its request.
func (f *findings) addToOne(ctx context.Context, s *model.EvidenceSource) {
	id := s.Retirement.ID
	kept, state, now := f.entries[id].Certificate, f.certificate(id), f.now[id]
	var text model.CertificateText
	switch {
	case now.saved != nil:
		text = audit.ReadCertificate(ctx, now.saved.Path)
		kept = store.Certificate(*now.saved)
	case state.Wrong != "":
		text.Unread = model.SavedFile(state.Wrong)
	case state.Unread != "":
		text.Unread = state.Unread
	default:
		text = audit.ReadCertificate(ctx, kept.Path)
	}
	if kept.Path != "" {
		s.Certificate = model.EvidenceCertificate{File: filepath.Base(kept.Path), SHA256: kept.SHA256, FetchedAt: kept.FetchedAt}
	}
	agrees := model.CheckCertificateAgrees(s.Retirement, text)
	s.Findings = slices.Concat(f.of(s.Retirement, state), []model.Check{agrees}, s.Findings)
	s.Facts, s.Sightings, s.Calls = f.facts, f.sightings, f.calls[id]
}

// compare finds the serial numbers that two requests hold, in the order of
// their ids: the same answers are told in the same words.
func (f *findings) compare(answers map[string]*model.Retirement) {
	var serials []model.OwnedSerial
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		serials = append(serials, answers[id].Claims(len(f.ids))...)
		f.ids = append(f.ids, id)
	}
	for owner, overlaps := range model.Overlaps(serials) {
		f.overlaps[f.ids[owner]] = overlaps
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
	once := model.CheckRetiredOnce(r, f.overlaps[r.ID], func(owner int) string { return f.ids[owner] })
	if f.noLedger {
		once = once.WithoutLedger()
	}
	return []model.Check{model.CheckCertificateOnFile(state), once}
}

func (f *findings) certificate(id string) model.CertificateState {
	kept, now := f.entries[id].Certificate, f.now[id]
	state := model.CertificateState{Saved: model.At(kept.FetchedAt)}
	if kept.Path != "" {
		state.Wrong = session.VerifyFile(kept.Path, kept.SHA256).Wrong()
	}
	if f.noLedger {
		state.Unread = model.NoLedger
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
	if kept := f.entries[id].Certificate; kept.Path != "" && session.VerifyFile(kept.Path, kept.SHA256) == session.Unchanged {
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
	now := make(map[string]fetched)
	for _, a := range r.found {
		answers, now[a.id] = append(answers, a.retirement), fetched{a.certificate, a.certificateErr}
	}
	f := r.newFindings(ctx, r.details.store, r.baseURL, answers)
	f.now = now
	return f
}

// sources are what the evidence of the look-ups is made of, in the order of
// the ids: also of those that failed, which are left out of it. They are found
// once: what is printed, filed and packed says the same. The error is that ctx
// ended.
func (r *retirementRun) sources(ctx context.Context) ([]model.EvidenceSource, error) {
	if r.findings != nil {
		return r.evident, nil
	}
	known, all := r.known(ctx), make([]model.EvidenceSource, len(r.results))
	var found []*model.EvidenceSource
	for i, a := range r.results {
		if a.err != nil {
			all[i] = model.EvidenceSource{Retirement: model.Retirement{ID: a.id}, LeftOut: explain(ran{a.err}).what}
			continue
		}
		all[i].Retirement = a.retirement
		all[i].Project, all[i].ProjectKnown = r.details.known[a.retirement.ProjectID]
		found = append(found, &all[i])
	}
	err := known.addTo(ctx, found, r.progress.tell)
	r.progress.clear()
	if err == nil {
		r.findings, r.evident = known, all
	}
	return all, err
}

// filed are the sources of what is kept as evidence, which fails where what this
// machine knows of the requests cannot be read: what is not known must not read as
// what is not so.
func (r *retirementRun) filed(ctx context.Context) ([]model.EvidenceSource, error) {
	sources, err := r.sources(ctx)
	if err == nil {
		err = r.findings.problem
	}
	return sources, err
}
