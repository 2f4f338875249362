package ledger

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
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

func (s *selection) read(a *command.App) (of retirement.LedgerSelection, err error) {
	of.Beneficiary = s.beneficiary
	if of.From, of.To, err = listing.ParseDays(a, s.from, s.to); err != nil {
		return of, err
	}
	var valid bool
	if of.Status, valid = retirement.ParseStatus(s.status); s.status != "" && !valid {
		var known []string
		for _, status := range retirement.Statuses() {
			known = append(known, string(status))
		}
		return of, command.Usage(
			"permitted: "+strings.Join(known, ", "),
			"--status %q is not a state of a retirement request",
			s.status,
		)
	}
	return of, nil
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
		r.App.Warn("%s left out: the ledger lacks what the flags select by; refresh with %s",
			model.Count(undecided, "request is", "requests are"), advice.Tonne("retirement ID"))
	}
	return selected
}
