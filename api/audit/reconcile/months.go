package reconcile

import (
	"maps"
	"slices"
	"time"

	"tonne/model"
)

// Month has the sums of both sides, which are unknown if they contain an unknown quantity. Here is
// also unknown if this machine knows no request of the month.
type Month struct {
	// Month is such as 2026-10, or empty for records without a date.
	Month      string
	File, Here model.Grams
}

// months sums up both sides. A request counts in the month of its records if they name one of its days, and in none
// if they name no day.
func (r *reconciler) months() []Month {
	sums := make(map[string]*Month)
	at := func(day time.Time) *Month {
		name := ""
		if r.dated && !day.IsZero() {
			name = day.Format("2006-01")
		}
		if sums[name] == nil {
			sums[name] = &Month{Month: name, Here: model.UnknownGrams}
		}
		return sums[name]
	}
	for _, record := range r.records {
		m := at(record.Date)
		m.File = m.File.AddUpTo(record.Quantity)
	}
	begun := make(map[*Month]bool)
	for _, p := range r.parts {
		if p.claimed() || !r.dated || r.covers(p) {
			m := at(r.dayOf(p))
			if !begun[m] {
				m.Here, begun[m] = 0, true
			}
			m.Here = m.Here.AddUpTo(p.quantity)
		}
	}
	all := make([]Month, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, *sums[name])
	}
	return all
}

func (r *reconciler) dayOf(p *part) time.Time {
	if p.claimed() {
		dated := false
		for _, i := range p.group.records {
			at := r.records[i].Date
			if slices.Contains(p.of.days, at.Format(time.DateOnly)) {
				return at
			}
			dated = dated || !at.IsZero()
		}
		if !dated {
			return time.Time{}
		}
	}
	if !p.of.CreatedAt.Known() {
		return time.Time{}
	}
	return dayOf(p.of.CreatedAt.Time)
}
