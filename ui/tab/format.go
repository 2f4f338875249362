package tab

import (
	"strconv"
	"time"

	"tonne/model"
	"tonne/ui/style"
)

// AppendQuantity appends a quantity in the unit that is shown at present:
// "1,234 t", or "1,234,000,000 g".
func (v *View) AppendQuantity(dst []byte, g model.Grams) []byte {
	if v.InGrams {
		return append(dst, g.FormatGrams()...)
	}
	return append(g.AppendTonnes(dst), " t"...)
}

// Quantity returns a quantity in the unit that is shown at present.
func (v *View) Quantity(g model.Grams) string {
	return string(v.AppendQuantity(nil, g))
}

// Unit returns what heads a column of quantities in the unit that is shown at
// present: "TONNES" or "GRAMS".
func (v *View) Unit() string {
	if v.InGrams {
		return "GRAMS"
	}
	return "TONNES"
}

// Tonnes returns whole tonnes in the unit that is shown at present.
func (v *View) Tonnes(t int64) string {
	g, err := model.WholeTonnes(t)
	if err != nil {
		return model.UnknownGrams.FormatTonnes()
	}
	return v.Quantity(g)
}

// Moment returns a timestamp in local time with its zone, to the second, or
// the text that the service sent if it is not a time.
func (v *View) Moment(t model.Timestamp) string {
	return v.stamp(t, "2 Jan 2006 15:04:05 MST")
}

// Minute is Moment to the minute, if room is short.
func (v *View) Minute(t model.Timestamp) string {
	return v.stamp(t, "2 Jan 2006 15:04 MST")
}

// Day returns the local date of a timestamp with its zone: near midnight the
// day is another one elsewhere.
func (v *View) Day(t model.Timestamp) string { return v.stamp(t, "2 Jan 2006 MST") }

func (v *View) stamp(t model.Timestamp, layout string) string {
	switch {
	case t.Known():
		return t.Time.In(v.Location).Format(layout)
	case t.Text != "":
		return t.Text
	}
	return "—"
}

// Clock returns the time of day of t with its zone, "14:03:22 CET".
func (v *View) Clock(t time.Time) string {
	if !v.today(t) {
		return t.In(v.Location).Format("2 Jan 15:04:05 MST")
	}
	return t.In(v.Location).Format("15:04:05 MST")
}

// Since names a past moment as shortly as can be, with its zone: "14:03 CET" for
// one of today, "2 Jan 14:03 CET" for others.
func (v *View) Since(t time.Time) string {
	if v.today(t) {
		return t.In(v.Location).Format("15:04 MST")
	}
	return t.In(v.Location).Format("2 Jan 15:04 MST")
}

// Between names a time as shortly as can be, with its zone: "07:26–07:29 CET"
// on this day, "2 Jan 18:02 – 3 Jan 07:29 CET" otherwise.
func (v *View) Between(from, until time.Time) string {
	if v.today(from) && v.today(until) {
		return from.In(v.Location).Format("15:04") + "–" + v.Since(until)
	}
	return from.In(v.Location).Format("2 Jan 15:04") + " – " + until.In(v.Location).Format("2 Jan 15:04 MST")
}

// today reports whether a moment is one of this day.
func (v *View) today(t time.Time) bool {
	t, now := t.In(v.Location), v.Now().In(v.Location)
	return t.YearDay() == now.YearDay() && t.Year() == now.Year()
}

// Short names a past moment where there is little room: "14:03" for one of today,
// "2 Jan CET" for others.
func (v *View) Short(t time.Time) string {
	if v.today(t) {
		return t.In(v.Location).Format("15:04")
	}
	return t.In(v.Location).Format("2 Jan MST")
}

// SinceDay names the moment that the moves of the day are counted from: "today",
// or "since 14:03" if nothing is known from before that, "since 2 Jan 14:03" if
// it is on another day.
func (v *View) SinceDay(t time.Time) string {
	switch {
	case v.DayBegan(t):
		return "today"
	case v.today(t):
		return "since " + t.In(v.Location).Format("15:04")
	}
	return "since " + t.In(v.Location).Format("2 Jan 15:04")
}

// SinceHeading names that moment where there is little room, above a column:
// "14:03", or "2 Jan" if it is on another day.
func (v *View) SinceHeading(t time.Time) string {
	if v.today(t) {
		return t.In(v.Location).Format("15:04")
	}
	return t.In(v.Location).Format("2 Jan")
}

// DayBegan reports whether a moment is the one that this day began with, or is
// not known.
func (v *View) DayBegan(t time.Time) bool {
	hour, minute, second := t.In(v.Location).Clock()
	return t.IsZero() || v.today(t) && hour+minute+second == 0
}

// Way is how a difference is marked, dearer and cheaper as everywhere.
func Way[D model.Cents | model.PerMille](over D) (role style.Role, arrow string) {
	switch {
	case over > 0:
		return style.Warning, "▲ "
	case over < 0:
		return style.Cheaper, "▼ "
	}
	return style.Muted, ""
}

// Age returns how long ago or ahead something is, in one unit: "2s", "3m",
// "5h", "12d". It is never negative.
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

// NextAge returns how long it takes until Age(d) reads differently.
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

// Year returns a year as text; "—" for one that is not known.
func Year(year int) string {
	if year == 0 {
		return "—"
	}
	return strconv.Itoa(year)
}
