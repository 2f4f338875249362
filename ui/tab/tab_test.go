package tab

import (
	"testing"
	"time"
	"unsafe"

	"tonne/api/session"
	"tonne/model"
	must "tonne/model/musttest"
)

func TestDatesAndTimesHaveTheirZone(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	v := &View{Location: berlin, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }}
	paused := *v
	paused.Market.State = session.Paused
	late := time.Date(2026, 11, 20, 23, 30, 15, 0, time.UTC)
	summer := time.Date(2026, 6, 30, 22, 30, 0, 0, time.UTC)
	for _, c := range []struct{ what, got, want string }{
		{"a moment", v.Moment(model.At(late)), "21 Nov 2026 00:30 CET"},
		{"a day", v.Day(model.At(late)), "21 Nov 2026 CET"},
		{"a day in summer", v.Day(model.At(summer)), "1 Jul 2026 CEST"},
		{"a few minutes", v.Between(late, late.Add(3*time.Minute)), "21 Nov 2026 00:30–00:33 CET"},
		{"a night", v.Between(late.Add(-8*time.Hour), late.Add(8*time.Hour)), "20 Nov 2026 16:30 – 21 Nov 2026 08:30 CET"},
		{"an age", v.Ago(late), "12h ago"},
		{"an age on a paused screen", paused.Ago(late), "21 Nov 2026 00:30 CET"},
		{"an invalid time", v.Day(model.Timestamp{Text: "soon"}), "soon"},
		{"no time", v.Day(model.Timestamp{}), "—"},
	} {
		must.Equal(t, c.got, c.want, c.what)
	}
}

func TestPeriodOfChangesIsNamed(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("CET", 3600)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, zone)
	v := &View{Location: zone, Now: func() time.Time { return noon.Add(time.Hour) }}
	v.Market.At = noon
	for _, c := range []struct {
		since         time.Time
		said, heading string
	}{
		{time.Date(2026, 11, 21, 0, 0, 0, 0, zone), "today", "TODAY"},
		{time.Date(2026, 11, 21, 9, 14, 3, 0, zone), "over 2h", "2h"},
		{time.Date(2026, 11, 20, 0, 0, 0, 0, zone), "over 36h", "36h"},
		{time.Date(2026, 11, 7, 18, 30, 0, 0, zone), "over 13d", "13d"},
		{time.Time{}, "today", "TODAY"},
	} {
		said, heading := v.SinceDay(c.since), v.SinceHeading(c.since)
		must.Hold(t, said == c.said && heading == c.heading,
			"the period since", c.since, said, heading, c.said, c.heading)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		body, table, detail int
		resting, focused    int
	}{
		{"a long table", 32, 220, 8, 12, 12},
		{"a long table over many rows", 32, 220, 17, 12, 17},
		{"a long table over more rows than there is room for", 32, 220, 99, 12, 19},
		{"a long table over prose", 32, 220, Prose, 12, 19},
		{"a table of one row", 19, 2, 8, 17, 17},
		{"a table of one row over prose", 19, 2, Prose, 17, 17},
		{"a table that just fits", 32, 20, 5, 12, 12},
		{"a high terminal", 100, 220, 30, 16, 30},
		{"a low terminal", 9, 220, Prose, 6, 6},
		{"no room for both", 8, 220, 8, 0, 8},
	} {
		must.Equal(t, Split(c.body, c.table, c.detail, false), c.resting, c.name)
		must.Equal(t, Split(c.body, c.table, c.detail, true), c.focused, c.name)
	}
}

func TestMarkDoesNotRetainTheSnapshot(t *testing.T) {
	t.Parallel()
	var f Flashes
	snapshot := "003bale004bale0"
	f.Add(time.Now(), snapshot[:7], "ask")
	must.Need(t, f.On("003bale", "ask"), "the cell is not marked")
	for of := range f.until {
		must.Hold(t, unsafe.StringData(of.id) != unsafe.StringData(snapshot), "the mark keeps the snapshot in memory")
	}
}
