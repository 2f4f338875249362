package chart

import "time"

type tick struct {
	at    time.Time
	label string
}

// interval is a distance of ticks that is natural to a calendar. Only one of
// the numbers is set.
type interval struct {
	minutes, days, months int
	layout                string
}

var intervals = []interval{
	{minutes: 1, layout: "15:04"},
	{minutes: 5, layout: "15:04"},
	{minutes: 15, layout: "15:04"},
	{minutes: 30, layout: "15:04"},
	{minutes: 60, layout: "15:04"},
	{minutes: 3 * 60, layout: "15:04"},
	{minutes: 6 * 60, layout: "15:04"},
	{minutes: 12 * 60, layout: "15:04"},
	{days: 1, layout: "2 Jan"},
	{days: 2, layout: "2 Jan"},
	{days: 7, layout: "2 Jan"},
	{months: 1, layout: "Jan"},
	{months: 2, layout: "Jan"},
	{months: 3, layout: "Jan"},
	{months: 6, layout: "Jan"},
	{months: 12, layout: "2006"},
	{months: 24, layout: "2006"},
	{months: 60, layout: "2006"},
	{months: 120, layout: "2006"},
	{months: 1200, layout: "2006"},
}

// spacing is the cells of a tick, its name and a gap.
const spacing = 7

func ticks(from, to time.Time, columns int) []tick {
	most := max(columns/spacing, 1)
	for _, step := range intervals {
		if to.Sub(from)/step.about() > time.Duration(most) {
			continue
		}
		return step.between(from, to)
	}
	return nil
}

func (s interval) about() time.Duration {
	const day = 24 * time.Hour
	return time.Duration(s.minutes)*time.Minute + time.Duration(s.days)*day + time.Duration(s.months)*28*day
}

// between returns the ticks of a time. The clock begins again at each midnight,
// whatever was done to it in the day.
func (s interval) between(from, to time.Time) (ticks []tick) {
	year, month, day := from.Date()
	if s.months > 0 {
		months := year*12 + int(month) - 1
		year, month, day = 0, time.Month(months/s.months*s.months+1), 1
	}
	for n := 0; ; n++ {
		at := time.Date(year, month+time.Month(n*s.months), day+n*s.days, 0, n*s.minutes, 0, 0, from.Location())
		if at.After(to) {
			return ticks
		}
		if !at.Before(from) {
			ticks = append(ticks, tick{at, s.label(at)})
		}
	}
}

func (s interval) label(at time.Time) string {
	switch {
	case s.minutes > 0 && at.Hour() == 0 && at.Minute() == 0:
		return at.Format("2 Jan")
	case s.months > 0 && at.Month() == time.January:
		return at.Format("2006")
	}
	return at.Format(s.layout)
}
