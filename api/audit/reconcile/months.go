package reconcile

import (
	"maps"
	"slices"
	"time"

	"tonne/model"
)

// Month has the sums of both sides, which are unknown if they contain an unknown quantity, are too
// large or below zero. Here is also unknown if this machine knows no request of the month.
type Month struct {
	// Month is such as 2026-10, or empty for records without a date.
	Month      string
	File, Here model.Grams
}

// months sums up both sides. A request counts in the month of its records if they name one of its days, and in none
// if they name no day.
func (r *reconciler) months() []Month {
	type sides struct {
		file, here sum
		// begun is set if a request of the month is known.
		begun bool
	}
	sums := make(map[string]*sides)
	at := func(day time.Time) *sides {
		name := ""
		if r.dated && !day.IsZero() {
			name = day.Format("2006-01")
		}
		if sums[name] == nil {
			sums[name] = new(sides)
		}
		return sums[name]
	}
	for _, record := range r.records {
		at(record.Date).file.add(record)
	}
	for _, p := range r.parts {
		if p.claimed() || !r.dated || r.covers(p) {
			m := at(r.dayOf(p))
			m.begun = true
			m.here.addGrams(p.quantity)
		}
	}
	all := make([]Month, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		m := Month{Month: name, File: sums[name].file.grams(), Here: model.UnknownGrams}
		if sums[name].begun {
			m.Here = sums[name].here.grams()
		}
		all = append(all, m)
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
