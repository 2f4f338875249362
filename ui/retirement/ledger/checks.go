package ledger

import (
	"cmp"
	"slices"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// tally is how checks came out: which failed, and how many passed.
type tally struct {
	failed string
	passed int32
}

func (t tally) with(checks ...model.Check) tally {
	for _, c := range checks {
		switch c.Result {
		case model.Fail:
			if t.failed != "" {
				t.failed += ", "
			}
			t.failed += CheckTitle(c.Name)
		case model.Pass:
			t.passed++
		}
	}
	return t
}

// String names the checks that failed, or says how many passed.
func (t tally) String() string {
	switch {
	case t.failed != "":
		return t.failed
	case t.passed > 0:
		return tab.Number(int64(t.passed)) + " pass"
	}
	return ""
}

// Tally counts the checks of all requests anew, and shows them.
func (l *Ledger) Tally() effect.Effect {
	l.rows = slices.Clone(l.rows)
	for i := range l.rows {
		l.rows[i].checks = l.tallied(l.rows[i])
	}
	return l.Narrow()
}

func (l *Ledger) tallied(r Row) (t tally) {
	if n, ok := l.index.places[r.ID]; ok && l.index.rows[n].Answer == r.Answer {
		t = l.index.answered[n]
	}
	return t.with(l.Findings(r)...)
}

var checkTitles = map[string]string{
	model.ItemsSumToTotal:         "items sum to total",
	model.SerialsSumToWholeTonnes: "serial ranges sum to whole tonnes",
	model.InvoicesSettled:         "invoices settled",
	model.BeneficiaryPresent:      "beneficiary on every item",
	model.SerialsMatchVintage:     "project and vintage agree with serials",
	audit.CertificateOnFile:       "certificate on file",
	audit.CertificateAgrees:       "certificate agrees with the answer",
	audit.SerialsRetiredOnce:      "credits retired once",
}

// CheckTitle returns what a check is called on the screen.
func CheckTitle(name string) string { return cmp.Or(checkTitles[name], name) }
