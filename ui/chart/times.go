package chart

import "time"

const date, clock = "2 Jan", "15:04"

type tick struct {
	at    time.Time
	label string
}

// dated reports whether the label is more than a time of the day.
func (t tick) dated() bool { return t.label != t.at.Format(clock) }

// interval is a calendar interval between ticks. Only one number is set.
type interval struct{ minutes, days, months int }

var intervals = []interval{
	{minutes: 1}, {minutes: 5}, {minutes: 15}, {minutes: 30}, {minutes: 60}, {minutes: 3 * 60}, {minutes: 6 * 60},
	{minutes: 12 * 60},
	{days: 1}, {days: 2}, {days: 7},
	{months: 1}, {months: 2}, {months: 3}, {months: 6}, {months: 12}, {months: 24}, {months: 60}, {months: 120},
	{months: 1200},
}

// spacing is the width of a tick, its label and a gap, in cells.
const spacing = 7

func ticks(from, to time.Time, columns int) []tick {
	most := max(columns/spacing, 1)
	for _, step := range intervals {
		if to.Sub(from)/step.about() <= time.Duration(most) {
			return step.between(from, to)
		}
	}
	return nil
}

func (s interval) about() time.Duration {
	const hours = 24 * time.Hour
	return time.Duration(s.minutes)*time.Minute + time.Duration(s.days+28*s.months)*hours
}

// between returns the ticks of a period. Intervals of minutes restart at midnight.
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
	case s.months >= 12 || s.months > 0 && at.Month() == time.January:
		return at.Format("2006")
	case s.months > 0:
		return at.Format("Jan")
	case s.days > 0 || at.Hour() == 0 && at.Minute() == 0:
		return at.Format(date)
	}
	return at.Format(clock)
}
