package model

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// The names of the checks of more than the service's answer, in the order in
// which they are listed.
const (
	// CertificateOnFile: the certificate that was saved is there, is
	// unchanged, and is what the service serves.
	CertificateOnFile = "certificate_on_file"
	// CertificateAgrees: the text of the certificate says what the service
	// answers.
	CertificateAgrees = "certificate_agrees"
	// SerialsRetiredOnce: no other request of the ledger retired the same
	// credits.
	SerialsRetiredOnce = "serials_retired_once"
)

var findingNames = [...]string{CertificateOnFile, CertificateAgrees, SerialsRetiredOnce}

// FailedCheck is a check of a request that failed, or that the request was left out.
type FailedCheck struct {
	// Request is the id of the request.
	Request string
	// Check is the name of the check that failed, empty for a request that was
	// left out.
	Check string
	// Detail says in a few words what is wrong.
	Detail string
}

// String returns the check and its detail, as in a cell.
func (d FailedCheck) String() string { return d.Check + ": " + d.Detail }

// AllChecks returns the checks of the answer and the findings, each once and
// in order. One that nobody made is not checkable.
func (s EvidenceSource) AllChecks() []Check {
	checks := s.Retirement.Checks(s.Project, s.ProjectKnown)
	for _, name := range findingNames {
		check := Check{Name: name, Result: NotCheckable, Detail: "nobody has looked"}
		for _, found := range s.Findings {
			if found.Name == name {
				check = found
			}
		}
		checks = append(checks, check)
	}
	return checks
}

// FailedChecks returns what speaks against the evidence: the checks that failed, that
// nobody can tell which credits were retired, or that the request was left out.
func (s EvidenceSource) FailedChecks() []FailedCheck {
	if s.LeftOut != "" {
		return []FailedCheck{{Request: s.Retirement.ID, Detail: s.LeftOut}}
	}
	return s.failedOf(s.AllChecks())
}

func (s EvidenceSource) failedOf(checks []Check) []FailedCheck {
	var doubts []FailedCheck
	for _, c := range checks {
		if s.Retirement.FailedBy(c) {
			doubts = append(doubts, FailedCheck{s.Retirement.ID, c.Name, c.Detail})
		}
	}
	return doubts
}

// FailedBy reports whether a check of a request speaks against it: it failed, or it
// says of a request that was retired that nobody can tell which credits were, since
// it lists no serial numbers or some that cannot be read.
func (r Retirement) FailedBy(c Check) bool {
	lacking := c.Name == SerialsSumToWholeTonnes && c.Result == NotCheckable && r.Status == Complete
	return c.Result == Fail || lacking && r.noSerials(r.Serials()) != ""
}

// namedLeftOut is how many of the requests that were left out stand in every
// row. The manifest names all.
const namedLeftOut = 3

// Lacks says which of the requests were left out, "1 of 3 requests left out:
// 00m1", and is empty if none was.
func Lacks(sources []EvidenceSource) string {
	var ids []string
	for _, s := range sources {
		if s.LeftOut != "" {
			ids = append(ids, s.Retirement.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s left out: %s", len(ids), Count(len(sources), "request", "requests"), SomeOf(ids, namedLeftOut, ", "))
}

func doubtColumns() []evidenceColumn {
	return []evidenceColumn{
		{name: "doubts", value: func(e *evidenceRow) string {
			var words []string
			for _, d := range e.failedOf(e.checks) {
				words = append(words, d.String())
			}
			return strings.Join(words, "; ")
		}},
		{name: "left_out", value: func(e *evidenceRow) string { return e.Lacks }},
	}
}

// CheckRetiredOnce returns the check that no other request holds credits of r:
// overlaps are those of the ledger that r is part of, sure or not, name returns
// the id of an owner.
func CheckRetiredOnce(r Retirement, overlaps []SerialOverlap, name func(owner int) string) Check {
	c := Check{Name: SerialsRetiredOnce, Result: Pass, Detail: "no other request of the ledger holds them"}
	if why := r.noSerials(r.Serials()); why != "" {
		c.Result, c.Detail = NotCheckable, why
	}
	var sure, maybe []string
	for _, o := range overlaps {
		a, b := name(o.A.Owner), name(o.B.Owner)
		if b == r.ID {
			a, b = b, a
		}
		switch {
		case a != r.ID:
		case o.A.unread():
			sure = append(sure, o.String()+" stands in "+b)
		case o.Sure():
			sure = append(sure, o.String()+" also retired by "+b)
		default:
			maybe = append(maybe, o.String()+" also stand in "+b+", with another batch, programme or flag")
		}
	}
	switch {
	case len(sure) > 0:
		c.Result, c.Detail = Fail, strings.Join(sure, ", ")
	case len(maybe) > 0:
		c.Result, c.Detail = NotCheckable, strings.Join(maybe, ", ")
	}
	return c
}

// NoLedger is why checks cannot be made that need the ledger.
const NoLedger = "the ledger of this machine cannot be used"

// WithoutLedger returns a check against the ledger as it is where the ledger cannot
// be used: it does not pass.
func (c Check) WithoutLedger() Check {
	if c.Result == Pass {
		c.Result, c.Detail = NotCheckable, NoLedger
	}
	return c
}

// CertificateState is what is known of a certificate that was saved.
type CertificateState struct {
	// Saved is when it was saved, as a timestamp; unknown if it never was.
	Saved Timestamp
	// Wrong says what is wrong with the saved file, such as "was altered";
	// empty for nothing.
	Wrong string
	// Unread says why it is not known whether one was saved; empty if it is.
	Unread string
	// Fetched says that it was fetched with the evidence.
	Fetched bool
	// Superseded says that the service serves another one now.
	Superseded bool
	// Failed says why it could not be fetched; empty if it was or nobody
	// tried.
	Failed string
}

// CheckCertificateOnFile returns the check that the certificate which was saved
// is there, unchanged, and is what the service serves.
func CheckCertificateOnFile(s CertificateState) Check {
	c := Check{Name: CertificateOnFile, Result: Fail}
	saved := s.Saved.Time.UTC().Format(time.RFC3339)
	var words []string
	if s.Wrong != "" {
		words = append(words, fmt.Sprintf("the file saved at %s %s", saved, s.Wrong))
	}
	switch {
	case s.Superseded:
		words = append(words, "the service serves another certificate than the one saved at "+saved)
	case s.Fetched && s.Wrong != "":
		words = append(words, "the one here was fetched anew and is what was saved then")
	}
	if s.Failed != "" {
		if s.Wrong == "" && s.Saved.Known() {
			words = append(words, "the one here was saved at "+saved+" and is unchanged")
		}
		words = append(words, "not fetched: "+s.Failed)
	}
	switch {
	case len(words) > 0:
		c.Detail = strings.Join(words, ", ")
	case s.Saved.Known():
		c.Result, c.Detail = Pass, "unchanged since "+saved
	case s.Fetched:
		c.Result, c.Detail = Pass, "fetched with the evidence"
	default:
		c.Result, c.Detail = NotCheckable, cmp.Or(s.Unread, "no certificate was saved")
	}
	return c
}
