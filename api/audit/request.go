package audit

import (
	"fmt"
	"path/filepath"
	"strings"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/cost"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// Request is a retirement request with all data of its evidence.
type Request struct {
	Retirement retirement.Request
	// Project is the project of the credits. It may be empty.
	Project      model.Project
	ProjectKnown bool
	// Certificate is the saved certificate, or zero. Evidence has the name of its file, a
	// pack also its content.
	Certificate retirement.Certificate
	// Findings are the checks that were made in addition to the checks of the answer.
	Findings []retirement.Check
	// Facts are the attributes that users entered for the credits. They may be nil.
	Facts *attribute.Facts
	// Observations are entries that users saw in the registry. Some may be about other requests.
	Observations []retirement.Observation
	// Calls are the calls of the journal that are part of the request, in the order in which
	// they were prepared.
	Calls []retirement.JournalEntry
	// Cost is what the request cost, by the purchases of the inventory.
	Cost cost.Total
	// LeftOut is the reason why the request has no row. Only the id of such a request is known.
	LeftOut string
	// Body is the raw API response, for a pack.
	Body []byte

	// fetched is the certificate that was fetched with the answer; unfetched is the reason if
	// that failed.
	fetched   *retirement.Certificate
	unfetched string
}

func (r Request) certificateFile() string {
	if r.Certificate.Path == "" {
		return ""
	}
	return filepath.Base(r.Certificate.Path)
}

// The names of the checks that need more than the answer, in the order of the lists.
const (
	// CertificateOnFile passes if the saved certificate exists, is unchanged, and is the one
	// that the service serves.
	CertificateOnFile = "certificate_on_file"
	// CertificateAgrees passes if the text of the certificate matches the API response.
	CertificateAgrees = "certificate_agrees"
	// SerialsRetiredOnce passes if no other request of the ledger retired the same credits.
	SerialsRetiredOnce = "serials_retired_once"
)

// FailedCheck is a failed check of a request, or reports that the request was left out.
type FailedCheck struct {
	// Request is the id of the request.
	Request string `json:"id"`
	// Check is the name of the failed check, empty for a request that was left out.
	Check string `json:"check"`
	// Detail describes the failure in a short phrase.
	Detail string `json:"detail"`
}

// String returns "check: detail", the format of a cell.
func (d FailedCheck) String() string { return d.Check + ": " + d.Detail }

func joined(failed []FailedCheck) string {
	var words []string
	for _, f := range failed {
		words = append(words, f.String())
	}
	return strings.Join(words, "; ")
}

// AllChecks returns the checks of the answer and the findings in order. A check that was
// not made is not checkable.
func (r Request) AllChecks() []retirement.Check {
	checks := r.Retirement.Checks(r.Project, r.ProjectKnown)
	for _, name := range [...]string{CertificateOnFile, CertificateAgrees, SerialsRetiredOnce} {
		check := retirement.Check{Name: name, Result: retirement.NotCheckable, Detail: "not checked"}
		for _, found := range r.Findings {
			if found.Name == name {
				check = found
			}
		}
		checks = append(checks, check)
	}
	return checks
}

// FailedChecks returns the failed checks. Missing serial numbers of a retired request and a
// request that was left out count as failed.
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
	for _, r := range requests {
		if r.LeftOut != "" {
			ids = append(ids, r.Retirement.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(
		"%d of %s left out: %s",
		len(ids),
		model.Count(len(requests), "request", "requests"),
		statement.SomeOf(ids, named, ", "),
	)
}

// CheckNames returns the names of failed checks, separated.
func CheckNames(failed []FailedCheck, separator string) string {
	var names []string
	for _, f := range failed {
		names = append(names, f.Check)
	}
	return strings.Join(names, separator)
}
