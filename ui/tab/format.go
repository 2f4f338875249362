package tab

import (
	"strconv"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/field"
	"tonne/ui/style"
	"tonne/ui/table"
)

// AppendQuantity appends a quantity in the current unit: "1,234 t" or "1,234,000,000 g".
func (v *View) AppendQuantity(dst []byte, g model.Grams) []byte {
	if v.InGrams {
		return append(dst, g.FormatGrams()...)
	}
	return append(g.AppendTonnes(dst), " t"...)
}

// Quantity returns a quantity in the current unit.
func (v *View) Quantity(g model.Grams) string {
	return string(v.AppendQuantity(nil, g))
}

// Units returns the current units of values.
func (v *View) Units() field.Units {
	return field.Units{Grams: v.InGrams, Zone: v.Location, Layout: timeLayout + zoneLayout}
}

// Unit returns the heading for quantities in the current unit: "TONNES" or "GRAMS".
func (v *View) Unit() string {
	if v.InGrams {
		return "GRAMS"
	}
	return "TONNES"
}

// Tonnes returns whole tonnes in the current unit.
func (v *View) Tonnes(t int64) string {
	g, err := model.WholeTonnes(t)
	if err != nil {
		return model.UnknownGrams.FormatTonnes()
	}
	return v.Quantity(g)
}

// DateLayout is the format of dates on the screen.
const (
	DateLayout = "2 Jan 2006"
	timeLayout = DateLayout + " 15:04"
	zoneLayout = " MST"
)

// Moment returns a timestamp in local time with its zone, to the minute, or its text if it is not a valid time.
func (v *View) Moment(t model.Timestamp) string { return v.stamp(t, timeLayout+zoneLayout) }

// Day returns the local date of a timestamp with its zone, because the date depends on the zone.
func (v *View) Day(t model.Timestamp) string { return v.stamp(t, DateLayout+zoneLayout) }

func (v *View) stamp(t model.Timestamp, layout string) string {
	switch {
	case t.Known():
		return t.Time.In(v.Location).Format(layout)
	case t.Text != "":
		return t.Text
	}
	return "—"
}

// Between returns a period, with its zone: "2 Jan 2006 07:26–07:29 CET" within a
// day, "2 Jan 2006 18:02 – 3 Jan 2006 07:29 CET" otherwise.
func (v *View) Between(from, until time.Time) string {
	from, until = from.In(v.Location), until.In(v.Location)
	if sameDay(from, until) {
		return from.Format(timeLayout) + "–" + until.Format("15:04"+zoneLayout)
	}
	return from.Format(timeLayout) + " – " + until.Format(timeLayout+zoneLayout)
}

// SeenAt returns the time of an event, or the period of one that happened some time since a known time.
func (v *View) SeenAt(since, at time.Time) string {
	if since.IsZero() {
		return v.Moment(model.At(at))
	}
	return v.Between(since, at)
}

// Ago returns the age of t, or its time if the screen is not redrawn often enough.
func (v *View) Ago(t time.Time) string {
	if state := v.Market.State; state == session.Paused || state == session.Refused {
		return v.Moment(model.At(t))
	}
	return Age(v.Now().Sub(t)) + " ago"
}

func (v *View) today(t time.Time) bool { return sameDay(t.In(v.Location), v.Now().In(v.Location)) }

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// SinceDay names the period of the day's changes: "today", or its length, such as "over 5h".
func (v *View) SinceDay(t time.Time) string {
	if v.DayBegan(t) {
		return "today"
	}
	return "over " + v.period(t)
}

// SinceHeading is like SinceDay, for the heading of a column: "TODAY" or "5h".
func (v *View) SinceHeading(t time.Time) string {
	if v.DayBegan(t) {
		return "TODAY"
	}
	return v.period(t)
}

// period returns the length of the period of the day's changes. It does not count seconds.
func (v *View) period(since time.Time) string {
	if age := v.Market.At.Sub(since); age >= time.Minute {
		return Age(age)
	}
	return "<1m"
}

// DayBegan reports whether t is the start of this day, or unknown.
func (v *View) DayBegan(t time.Time) bool {
	hour, minute, second := t.In(v.Location).Clock()
	return t.IsZero() || v.today(t) && hour+minute+second == 0
}

// Way returns the role and the arrow for a difference: dearer or cheaper.
func Way[D model.Cents | model.PerMille](over D) (role style.Role, arrow string) {
	return table.Look(field.Sign(over))
}

// Age formats a duration in one unit, never negative: "2s", "3m", "5h", "12d".
func Age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// NextAge returns the time until the text of Age(d) changes.
func NextAge(d time.Duration) time.Duration {
	d = max(d, 0)
	unit := time.Second
	switch {
	case d >= time.Hour:
		unit = time.Hour
	case d >= time.Minute:
		unit = time.Minute
	}
	return unit - d%unit
}

// Number returns n with thousands separated.
func Number(n int64) string { return model.FormatNumber(n) }

// Year returns a year as text, or "—" if it is unknown.
func Year(year int) string {
	if year == 0 {
		return "—"
	}
	return strconv.Itoa(year)
}

// Dash writes "—" for an unknown value.
func Dash(c *style.Cell) { c.Put(style.Faint, "—") }

// NewsBadge formats a count of events for the label of a tab, in two cells: "•3", "9+". It is empty for 0.
func NewsBadge(n int) string {
	switch {
	case n <= 0:
		return ""
	case n > 9:
		return "9+"
	}
	return "•" + strconv.Itoa(n)
}
