package model

import (
	"strconv"
	"strings"
	"time"
)

// Timestamp is a point in time as the service wrote it.
type Timestamp struct {
	// Time is the zero time if Text is not an ISO 8601 timestamp.
	Time time.Time
	// Text is the original text, or empty if missing.
	Text string
}

// ParseTimestamp parses an ISO 8601 timestamp, and keeps other text. A time without an
// offset is UTC.
func ParseTimestamp(s string) Timestamp {
	t, _ := ParseISO(s)
	return Timestamp{t, s}
}

// At returns t as a timestamp in UTC. For the zero time, the text is empty.
func At(t time.Time) Timestamp {
	if t.IsZero() {
		return Timestamp{}
	}
	t = t.UTC()
	return Timestamp{t, t.Format("2006-01-02T15:04:05.000Z07:00")}
}

// Known reports whether the text is a time.
func (t Timestamp) Known() bool { return !t.Time.IsZero() }

// UTC returns t in UTC as in RFC 3339, or the text if it is not a time.
func (t Timestamp) UTC() string {
	if !t.Known() {
		return t.Text
	}
	return t.Time.UTC().Format(time.RFC3339Nano)
}

// ParseISO parses a date of ISO 8601 that names a day, in its extended or basic form: a
// calendar date, a week date such as 2026-W48-7, or an ordinal date such as 2026-333. A time
// may follow after T or one blank, with an offset. A time without an offset is UTC. It is
// false for any other text.
func ParseISO(s string) (t time.Time, ok bool) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, true
	}
	date, clock := s, ""
	if at := strings.IndexAny(s, "Tt "); at >= 0 {
		if date, clock = s[:at], s[at+1:]; clock == "" {
			return time.Time{}, false
		}
	}
	day, ok := parseDay(date)
	if !ok || clock == "" {
		return day, ok
	}
	return parseClock(day, clock)
}

func parseDay(s string) (time.Time, bool) {
	for _, layout := range [...]string{time.DateOnly, "20060102", "2006-002", "2006002"} {
		if len(s) == len(layout) {
			if t, err := time.Parse(layout, s); err == nil {
				return t, true
			}
		}
	}
	return parseWeekDay(s)
}

// parseWeekDay parses 2026-W48-7 or 2026W487. Week 1 has the first Thursday of the year.
func parseWeekDay(s string) (time.Time, bool) {
	year, rest, ok := strings.Cut(s, "W")
	if trimmed, extended := strings.CutSuffix(year, "-"); extended {
		year = trimmed
		if len(rest) != 4 || rest[2] != '-' {
			return time.Time{}, false
		}
		rest = rest[:2] + rest[3:]
	}
	digits := year + rest
	if _, err := ParseDigits(digits); err != nil || !ok || len(year) != 4 || len(rest) != 3 {
		return time.Time{}, false
	}
	y, _ := strconv.Atoi(year)
	week, _ := strconv.Atoi(rest[:2])
	day := int(rest[2] - '0')
	fourth := time.Date(y, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	t := monday.AddDate(0, 0, 7*(week-1)+day-1)
	inYear, inWeek := t.ISOWeek()
	return t, 1 <= day && day <= 7 && inYear == y && inWeek == week
}

// parseClock adds a time of day such as 15:04:05,999+02:00 or 1504Z to a day.
func parseClock(day time.Time, s string) (time.Time, bool) {
	s = strings.ReplaceAll(s, ",", ".")
	clock, offset := s, ""
	if at := strings.IndexAny(s, "Zz+-−"); at >= 0 {
		clock, offset = s[:at], strings.ReplaceAll(s[at:], "−", "-")
	}
	if clock == "24:00:00" || clock == "24:00" || clock == "2400" || clock == "240000" {
		day, clock = day.AddDate(0, 0, 1), "00"
	}
	zone, ok := parseOffset(offset)
	if !ok {
		return time.Time{}, false
	}
	for _, layout := range [...]string{"15:04:05", "150405", "15:04", "1504", "15"} {
		t, err := time.Parse(layout, clock)
		if err == nil && len(strings.SplitN(clock, ".", 2)[0]) == len(layout) {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), true
		}
	}
	return time.Time{}, false
}

func parseOffset(s string) (*time.Location, bool) {
	if s == "" || s == "Z" || s == "z" {
		return time.UTC, true
	}
	for _, layout := range [...]string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, s); err == nil && len(s) == len(layout) {
			return t.Location(), true
		}
	}
	return nil, false
}

// ParseMoment parses a time that a person writes: RFC 3339, or a date and a time of day in a zone, with
// or without seconds.
func ParseMoment(text string, zone *time.Location) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// FormatPeriod returns the first and the last day of a period of UTC days. end is the day after it.
func FormatPeriod(from, end time.Time, layout string) string {
	return from.Format(layout) + " to " + end.AddDate(0, 0, -1).Format(layout) + " inclusive, UTC"
}
