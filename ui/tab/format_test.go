package tab

import (
	"testing"
	"time"

	"tonne/model"
)

// A day and a time of day say where they are so, in summer and in winter.
func TestDatesAndTimesCarryTheirZone(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	v := &View{Location: berlin, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }}
	late := time.Date(2026, 11, 20, 23, 30, 15, 0, time.UTC)
	summer := time.Date(2026, 6, 30, 22, 30, 0, 0, time.UTC)
	for _, c := range []struct{ what, got, want string }{
		{"a moment", v.Moment(model.At(late)), "21 Nov 2026 00:30:15 CET"},
		{"a minute", v.Minute(model.At(late)), "21 Nov 2026 00:30 CET"},
		{"a day", v.Day(model.At(late)), "21 Nov 2026 CET"},
		{"a day in summer", v.Day(model.At(summer)), "1 Jul 2026 CEST"},
		{"a time of day", v.Clock(late), "00:30:15 CET"},
		{"a moment of today", v.Since(late), "00:30 CET"},
		{"a moment of another day", v.Since(summer), "1 Jul 00:30 CEST"},
		{"a time of today", v.Between(late, late.Add(3*time.Minute)), "00:30–00:33 CET"},
		{"a night", v.Between(late.Add(-8*time.Hour), late.Add(8*time.Hour)), "20 Nov 16:30 – 21 Nov 08:30 CET"},
		{"what is no time", v.Day(model.Timestamp{Text: "soon"}), "soon"},
		{"no time", v.Day(model.Timestamp{}), "—"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
}

// Only what is counted from the start of this very day is called today.
func TestTheDayOfMovesIsNamed(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("CET", 3600)
	v := &View{Location: zone, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, zone) }}
	for _, c := range []struct {
		since         time.Time
		said, heading string
	}{
		{time.Date(2026, 11, 21, 0, 0, 0, 0, zone), "today", "00:00"},
		{time.Date(2026, 11, 21, 9, 14, 3, 0, zone), "since 09:14", "09:14"},
		{time.Date(2026, 11, 20, 0, 0, 0, 0, zone), "since 20 Nov 00:00", "20 Nov"},
		{time.Date(2026, 11, 7, 18, 30, 0, 0, zone), "since 7 Nov 18:30", "7 Nov"},
		{time.Time{}, "today", ""},
	} {
		if said := v.SinceDay(c.since); said != c.said {
			t.Errorf("%v is called %q, want %q", c.since, said, c.said)
		}
		if heading := v.SinceHeading(c.since); c.heading != "" && heading != c.heading {
			t.Errorf("%v is headed %q, want %q", c.since, heading, c.heading)
		}
	}
}
