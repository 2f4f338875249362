package audit

import (
	"fmt"
	"path/filepath"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// Request is a retirement request with what its evidence is made of.
type Request struct {
	Retirement retirement.Request
	// Project is the project whose credits it retires, if it is known.
	Project      model.Project
	ProjectKnown bool
	// Certificate is the one that was saved, of which evidence has the name of the file
	// and a pack the content; the zero value says that there is none.
	Certificate retirement.Certificate
	// Findings are the checks of more than the answer that were made.
	Findings []retirement.Check
	// Facts are what the buyer knows of the credits; nil for none.
	Facts *attribute.Facts
	// Observations are what people saw in the registry: of the request, or of any.
	Observations []retirement.Observation
	// Calls are the calls of the journal that went into the request, in the order in
	// which they were prepared.
	Calls []retirement.JournalEntry
	// LeftOut says why the request, of which only the id is known, has no row; empty
	// for one that has.
	LeftOut string
	// Body is the response of the service as it was received, for a pack.
	Body []byte

	// fetched is the certificate that was fetched with the answer, unfetched why it was
	// not.
	fetched   *retirement.Certificate
	unfetched string
}

func (r Request) certificateFile() string {
	if r.Certificate.Path == "" {
		return ""
	}
	return filepath.Base(r.Certificate.Path)
}

// The names of the checks of more than the answer, in the order in which they are
// listed.
const (
	// CertificateOnFile: the certificate that was saved is there, is unchanged, and is
	// what the service serves.
	CertificateOnFile = "certificate_on_file"
	// CertificateAgrees: the text of the certificate says what the service answers.
	CertificateAgrees = "certificate_agrees"
	// SerialsRetiredOnce: no other request of the ledger retired the same credits.
	SerialsRetiredOnce = "serials_retired_once"
)

// FailedCheck is a check of a request that failed, or that the request was left out.
type FailedCheck struct {
	// Request is the id of the request.
	Request string `json:"id"`
	// Check is the name of the check that failed, empty for a request that was left
	// out.
	Check string `json:"check"`
	// Detail says in a few words what is wrong.
	Detail string `json:"detail"`
}

// String returns the check and its detail, as in a cell.
func (d FailedCheck) String() string { return d.Check + ": " + d.Detail }

func joined(failed []FailedCheck) string {
	var words []string
	for _, f := range failed {
		words = append(words, f.String())
	}
	return strings.Join(words, "; ")
}

// AllChecks returns the checks of the answer and the findings, each once and in
// order. One that was not made is not checkable.
func (r Request) AllChecks() []retirement.Check {
	checks := r.Retirement.Checks(r.Project, r.ProjectKnown)
	for _, name := range [...]string{CertificateOnFile, CertificateAgrees, SerialsRetiredOnce} {
		check := retirement.Check{Name: name, Result: retirement.NotCheckable, Detail: "nobody has looked"}
		for _, found := range r.Findings {
			if found.Name == name {
				check = found
			}
		}
		checks = append(checks, check)
	}
	return checks
}

// FailedChecks returns the checks that failed, that the serial numbers of a retired
// request are missing or cannot be read, or that the request was left out.
func (r Request) FailedChecks() []FailedCheck {
	if r.LeftOut != "" {
		return []FailedCheck{{Request: r.Retirement.ID, Detail: r.LeftOut}}
	}
	return r.failedOf(r.AllChecks())
}

func (r Request) failedOf(checks []retirement.Check) (failed []FailedCheck) {
	for _, c := range checks {
		if r.Retirement.FailedBy(c) {
			failed = append(failed, FailedCheck{r.Retirement.ID, c.Name, c.Detail})
		}
	}
	return failed
}

func lacksOf(requests []Request) string {
	const named = 3
	var ids []string
	for _, l := range leftOutOf(requests) {
		ids = append(ids, l.ID)
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s left out: %s", len(ids), model.Count(len(requests), "request", "requests"), statement.SomeOf(ids, named, ", "))
}
