package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

type selection struct {
	from, to, status, beneficiary string
}

func (s *selection) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.from, "from", "", "only requests created on `DATE` (UTC) or later")
	f.StringVar(&s.to, "to", "", "only requests created before `DATE` (UTC)")
	f.StringVar(&s.status, "status", "", "only requests in this `STATUS`, such as COMPLETE")
	f.StringVar(&s.beneficiary, "beneficiary", "", "only requests with `TEXT` in the name of a beneficiary")
}

func (s *selection) read() (of retirement.LedgerSelection, err error) {
	of.Beneficiary = s.beneficiary
	if of.From, err = readDate("from", s.from); err != nil {
		return of, err
	}
	if of.To, err = readDate("to", s.to); err != nil {
		return of, err
	}
	if s.from != "" && s.to != "" && !of.From.Before(of.To) {
		return of, command.Usage("give a --to after --from; --to is exclusive", "--from %s is not before --to %s", s.from, s.to)
	}
	var valid bool
	if of.Status, valid = retirement.ParseStatus(s.status); s.status != "" && !valid {
		var known []string
		for _, status := range retirement.Statuses() {
			known = append(known, string(status))
		}
		return of, command.Usage("permitted: "+strings.Join(known, ", "), "--status %q is not a state of a retirement request", s.status)
	}
	return of, nil
}

func readDate(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, command.Usage("give a date such as 2026-01-31", "--%s %q is not a date", flag, text)
	}
	return day, nil
}

// only returns the records that the flags select, and warns of those that the ledger knows too little of.
func (r *run) only(of retirement.LedgerSelection, records []retirement.LedgerRecord) []retirement.LedgerRecord {
	undecided := 0
	selected := slices.DeleteFunc(slices.Clone(records), func(record retirement.LedgerRecord) bool {
		selected, decided := of.Selects(record)
		if !decided {
			undecided++
		}
		return !selected
	})
	if undecided > 0 {
		r.App.Warn("%s left out: the ledger lacks what the flags select by; refresh with `tonne retirement ID`", model.Count(undecided, "request is", "requests are"))
	}
	return selected
}
