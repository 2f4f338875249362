package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/api"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// Auditor creates evidence from the API of one marketplace and the records of this machine.
type Auditor struct {
	// Client looks up requests. It may be nil if none are looked up.
	Client *api.Client
	Store  *store.Store
	// Origin is the base URL of the marketplace, Version the version of the program.
	Origin, Version string
	Now             func() time.Time
	// Journal returns the successful calls to the marketplace.
	Journal func(context.Context) ([]retirement.JournalEntry, error)
	// CountJournal returns the number of calls that Journal returns.
	CountJournal func(context.Context) (int64, error)
	// Projects returns the details of projects. Unavailable projects are missing.
	Projects func(ctx context.Context, ids []string) model.Projects
	// Explain describes the error of a look-up. If it is nil, the error's own text is used.
	Explain func(error) string
	// Progress is called before each certificate is read, from two goroutines.
	Progress func(format string, args ...any)
	// Warn is called for problems that are not returned as errors, with the arguments of
	// slog.Logger.Warn. It may be nil.
	Warn func(message string, args ...any)
	// KeepIn is the directory for certificates that were fetched only for a pack.
	KeepIn string
	// Kept is called for each certificate that is added to the ledger. It may be nil.
	Kept func(id string, c retirement.Certificate)
}

// Records are the records of this machine about retirement requests, in addition to the
// answers of the marketplace.
type Records struct {
	// Ledger has the saved certificates by request.
	Certificates map[string]retirement.Certificate
	// Problem is the error if some records could not be read.
	Problem error

	ledgerLost   bool
	answers      map[string]*retirement.Request
	retiredOnce  map[string]retirement.Check
	facts        *attribute.Facts
	observations []retirement.Observation
	calls        map[string][]retirement.JournalEntry
}

// NewRecords returns records from a ledger only. Newer answers replace the answers of the
// ledger.
func NewRecords(ledger []store.LedgerEntry, newer ...retirement.Request) *Records {
	r := &Records{
		Certificates: certificatesOf(ledger),
		answers:      make(map[string]*retirement.Request),
		retiredOnce:  make(map[string]retirement.Check),
	}
	for _, answer := range Answered(ledger) {
		r.answers[answer.ID] = answer
	}
	for i := range newer {
		r.answers[newer[i].ID] = &newer[i]
	}
	all := slices.Collect(maps.Values(r.answers))
	for i, check := range RetiredOnce(all) {
		r.retiredOnce[all[i].ID] = check
	}
	return r
}

// Records reads the records of this machine, except those that l has, which may be nil. Newer
// answers replace the answers of the ledger.
func (a *Auditor) Records(ctx context.Context, l *Ledger, newer ...retirement.Request) *Records {
	var ledgerErr error
	if l == nil {
		l = new(Ledger)
		l.Entries, ledgerErr = a.Store.Of(a.Origin).Ledger.Entries(ctx)
	}
	r := NewRecords(l.Entries, newer...)
	r.ledgerLost = ledgerErr != nil || a.Store.Problem() != nil
	facts, factsErr := a.Store.Of(a.Origin).Annotations.Facts(ctx)
	if len(facts) > 0 {
		r.facts = attribute.NewFacts(facts)
	}
	var observationsErr error
	r.observations, observationsErr = a.Store.Of(a.Origin).Annotations.Observations(ctx)
	calls, journalErr := a.Journal(ctx)
	r.calls = retirement.FollowCalls(calls, slices.Collect(maps.Values(r.answers)))
	r.Problem = cmp.Or(ledgerErr, a.Store.Problem(), factsErr, observationsErr, journalErr)
	return r
}

// RetiredOnce checks for each answer that no other answer has retired the same credits.
// An answer may be nil.
func RetiredOnce(answers []*retirement.Request) []retirement.Check {
	checks := make([]retirement.Check, len(answers))
	var byID []*retirement.Request
	of := make(map[*retirement.Request]*retirement.Check, len(answers))
	for i, answer := range answers {
		if answer != nil {
			byID, of[answer] = append(byID, answer), &checks[i]
		}
	}
	// The wording of the details depends on the order.
	slices.SortFunc(byID, func(a, b *retirement.Request) int { return cmp.Compare(a.ID, b.ID) })
	overlaps := retirement.Overlaps(retirement.Claims(byID...))
	for owner, answer := range byID {
		*of[answer] = retiredOnce(owner, overlaps[owner], byID)
	}
	return checks
}

// retiredOnce is the check of one answer. Overlaps are those with the others. Serial numbers that
// cannot be read are neither an overlap nor a pass.
func retiredOnce(owner int, overlaps []retirement.SerialOverlap, answers []*retirement.Request) retirement.Check {
	c := retirement.Check{Name: SerialsRetiredOnce, Result: retirement.NotCheckable}
	var sure, maybe []string
	for _, o := range overlaps {
		other := answers[o.A.Owner+o.B.Owner-owner].ID
		switch {
		case o.Sure():
			sure = append(sure, o.String()+" also retired by "+other)
		case o.A.Unread():
			maybe = append(maybe, o.String()+" also in "+other)
		default:
			maybe = append(maybe, o.String()+" also in "+other+", with another batch, programme or flag")
		}
	}
	if len(sure) > 0 {
		c.Result, c.Detail = retirement.Fail, strings.Join(sure, ", ")
		return c
	}
	if why := answers[owner].NoSerials(); why != "" {
		maybe = append([]string{why}, maybe...)
	}
	if c.Detail = strings.Join(maybe, ", "); len(maybe) == 0 {
		c.Result, c.Detail = retirement.Pass, "no other request of the ledger has them"
	}
	return c
}

// Subject is a retirement request with the records of this machine about it.
type Subject struct {
	Answer *retirement.Request
	// Certificate is the certificate in the ledger, File the state of its file.
	Certificate retirement.Certificate
	File        session.FileStatus
	// Fetched is a certificate that was fetched now; FetchProblem is set if that failed.
	// Both are zero if it was not tried.
	Fetched      *retirement.Certificate
	FetchProblem string
	// RetiredOnce is the result of RetiredOnce, or zero if it was not checked.
	RetiredOnce retirement.Check
	// LedgerLost means that the ledger is unusable.
	LedgerLost bool
	// Agrees is the result of CheckText, or zero if it was not checked.
	Agrees retirement.Check
}

// Findings returns the checks that need more than the answer of the marketplace and that
// were made.
func (s Subject) Findings() (checks []retirement.Check) {
	if s.Agrees.Name != "" {
		checks = append(checks, s.Agrees)
	}
	if s.Certificate.Path == "" || s.File != session.NotVerified {
		checks = append(checks, s.certificateOnFile())
	}
	if s.RetiredOnce.Name == "" {
		return checks
	}
	if s.LedgerLost && s.RetiredOnce.Result == retirement.Pass {
		s.RetiredOnce.Result, s.RetiredOnce.Detail = retirement.NotCheckable, noLedger
	}
	return append(checks, s.RetiredOnce)
}

const noLedger = "the ledger of this machine is unusable"

// certificateOnFile fails if the saved file is gone or was altered, or if the service serves another
// one. A file that cannot be read or fetched is not checkable.
func (s Subject) certificateOnFile() retirement.Check {
	c := retirement.Check{Name: CertificateOnFile, Result: retirement.NotCheckable}
	saved, wrong := s.Certificate.FetchedAt.UTC().Format(time.RFC3339), s.File.Wrong()
	superseded := s.File == session.Superseded
	if s.Fetched != nil {
		superseded = s.Certificate.Path != "" && s.Fetched.SHA256 != s.Certificate.SHA256
	}
	if superseded || wrong != "" && s.File != session.Unreadable {
		c.Result = retirement.Fail
	}
	var words []string
	if wrong != "" {
		words = append(words, fmt.Sprintf("the file saved at %s %s", saved, wrong))
	}
	switch {
	case superseded:
		words = append(words, "the service now serves a certificate that differs from the one saved at "+saved)
	case s.Fetched != nil && wrong != "":
		words = append(words, "a new download is identical to the saved file")
	}
	if s.FetchProblem != "" {
		if wrong == "" && !s.Certificate.FetchedAt.IsZero() {
			words = append(words, "the copy saved at "+saved+" is unchanged")
		}
		words = append(words, "not fetched: "+s.FetchProblem)
	}
	switch {
	case len(words) > 0:
		c.Detail = strings.Join(words, ", ")
	case !s.Certificate.FetchedAt.IsZero():
		c.Result, c.Detail = retirement.Pass, "unchanged since "+saved
	case s.Fetched != nil:
		c.Result, c.Detail = retirement.Pass, "fetched with the evidence"
	case s.LedgerLost:
		c.Detail = noLedger
	default:
		c.Detail = "no certificate was saved"
	}
	return c
}

func (r *Records) subject(answer *retirement.Request) Subject {
	s := Subject{
		Answer:      answer,
		Certificate: r.Certificates[answer.ID],
		RetiredOnce: r.retiredOnce[answer.ID],
		LedgerLost:  r.ledgerLost,
	}
	if s.Certificate.Path != "" {
		s.File = session.VerifyFile(s.Certificate.Path, s.Certificate.SHA256)
	}
	return s
}

// FailedChecks returns the failed checks of a request. It reads no certificate.
func (r *Records) FailedChecks(source Request) []FailedCheck {
	source.Findings = r.subject(&source.Retirement).Findings()
	return source.FailedChecks()
}

// check returns the error of ctx. The requests are incomplete then.
func (r *Records) check(ctx context.Context, requests []Request, a *Auditor) error {
	var found []*Request
	for i := range requests {
		if requests[i].LeftOut == "" {
			found = append(found, &requests[i])
		}
	}
	const atOnce = 2 // a process reads each certificate
	worker.Each(ctx, atOnce, len(found), func(i int) {
		a.Progress("checking %d of %d", i+1, len(found))
		request := found[i]
		s := r.subject(&request.Retirement)
		s.Fetched, s.FetchProblem = request.fetched, request.unfetched
		s.Agrees = s.CheckText(func(path string) (pdftext.Content, error) { return ReadCertificate(ctx, path) })
		if request.Certificate = s.Certificate; s.Fetched != nil {
			request.Certificate = *s.Fetched
		}
		request.Findings, request.Facts, request.Observations, request.Calls = s.Findings(), r.facts, r.observations,
			r.calls[request.Retirement.ID]
	})
	return context.Cause(ctx)
}
