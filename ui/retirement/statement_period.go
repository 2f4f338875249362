package retirement

import (
	"strings"
	"time"

	"tonne/model"
	"tonne/ui/tab"
)

// period is the time of a statement: a fiscal year, or what a person typed.
type period struct {
	from, to time.Time
	// month is the one that fiscal years begin with.
	month time.Month
	// year is the one in which the fiscal year begins; 0 for a time that was
	// typed.
	year int
}

func fiscalYear(now time.Time, month time.Month) period {
	year := now.UTC().Year()
	if now.UTC().Month() < month {
		year--
	}
	return period{}.ofYear(year, month)
}

func (period) ofYear(year int, month time.Month) period {
	from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(1, 0, 0), month: month, year: year}
}

func (p period) beside(step int) period {
	if p.year != 0 {
		return p.ofYear(p.year+step, p.month)
	}
	length := p.to.Sub(p.from) * time.Duration(step)
	next := p
	next.from, next.to = p.from.Add(length), p.to.Add(length)
	if p.from.Day() == 1 && p.to.Equal(p.from.AddDate(0, 1, 0)) {
		next.from, next.to = p.from.AddDate(0, step, 0), p.from.AddDate(0, step+1, 0)
	}
	return next
}

func (p period) begins() period {
	month := p.month%12 + 1
	if p.year == 0 {
		p.month = month
		return p
	}
	year := p.year
	if month == time.January {
		year++
	}
	return p.ofYear(year, month)
}

// parse reads a time as a person types it: a fiscal year ("2026"), a month
// ("2026-10"), or the first and the last day ("2026-01-01 to 2026-03-31").
func (p period) parse(text string) (period, bool) {
	text = strings.TrimSpace(text)
	if year, err := time.Parse("2006", text); err == nil && year.Year() > 0 {
		return p.ofYear(year.Year(), p.month), true
	}
	next := period{month: p.month}
	if month, err := time.Parse("2006-01", text); err == nil {
		next.from, next.to = month, month.AddDate(0, 1, 0)
		return next, true
	}
	days := strings.Fields(strings.NewReplacer(" to ", " ", "–", " ", "..", " ").Replace(text))
	if len(days) != 2 {
		return p, false
	}
	from, err := time.Parse(time.DateOnly, days[0])
	to, errTo := time.Parse(time.DateOnly, days[1])
	if err != nil || errTo != nil || to.Before(from) {
		return p, false
	}
	next.from, next.to = from, to.AddDate(0, 0, 1)
	return next, true
}

// String names the first and the last day.
func (p period) String() string {
	return p.from.Format(tab.DateLayout) + " to " + p.to.AddDate(0, 0, -1).Format(tab.DateLayout) + " UTC"
}

func (p period) title() string {
	switch {
	case p.year == 0:
		return p.String()
	case p.month == time.January:
		return p.from.Format("2006") + ": " + p.String()
	}
	return "fiscal year from " + p.from.Format("Jan 2006") + ": " + p.String()
}

func following(by model.Grouping) model.Grouping {
	all := model.Groupings()
	for i, name := range all {
		if name == string(by) {
			return model.Grouping(all[(i+1)%len(all)])
		}
	}
	return by
}
