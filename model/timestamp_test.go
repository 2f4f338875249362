package model_test

import (
	"testing"
	"time"

	"tonne/model"
	must "tonne/model/musttest"
)

func TestISODates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, utc string }{
		{"2026-11-29T05:06:07Z", "2026-11-29T05:06:07Z"},
		{"2026-11-29T05:06:07.123456789+02:00", "2026-11-29T03:06:07.123456789Z"},
		{"2026-11-29", "2026-11-29T00:00:00Z"},
		{"20261129", "2026-11-29T00:00:00Z"},
		{"20261129T050607Z", "2026-11-29T05:06:07Z"},
		{"20261129T0506", "2026-11-29T05:06:00Z"},
		{"2026-11-29T05", "2026-11-29T05:00:00Z"},
		{"2026-11-29 05:06:07", "2026-11-29T05:06:07Z"},
		{"2026-11-29T05:06:07,5+0530", "2026-11-28T23:36:07.5Z"},
		{"2026-11-29T05:06+02", "2026-11-29T03:06:00Z"},
		{"2026-11-29T05:06−02", "2026-11-29T07:06:00Z"},
		{"2026-11-29t05:06:07z", "2026-11-29T05:06:07Z"},
		{"2026-11-29T24:00:00", "2026-11-30T00:00:00Z"},
		{"2026-333", "2026-11-29T00:00:00Z"},
		{"2026333T12", "2026-11-29T12:00:00Z"},
		{"2026-W48-7", "2026-11-29T00:00:00Z"},
		{"2026W487T12:30Z", "2026-11-29T12:30:00Z"},
		{"2020-W53-7", "2021-01-03T00:00:00Z"},
		{"2024-366", "2024-12-31T00:00:00Z"},
	} {
		at, ok := model.ParseISO(tt.text)
		must.Hold(t, ok && at.UTC().Format(time.RFC3339Nano) == tt.utc, tt.text, at, ok)
	}
	for _, text := range []string{
		"", "2026", "2026-11", "202611", "2026-11-31", "2026-02-29", "2026-W48", "2026-W54-1", "2025-W53-1", "2026-W48-8",
		"2026-W48-0",
		"2026-000", "2026-366", "26-11-29", "2026-11-29T", "2026-11-29T25:00", "2026-11-29T24:00:01", "2026-11-29T05:60",
		"2026-1-2",
		"2026-11-29T05:06:07+25:00", "2026-11-29T05:06:07Zulu", "2026-11-29  05:06", "29.11.2026", "11/29/2026", "last week",
		"2026-11-29T5:06",
		"+2026-11-29", "2026/11/29", "2026-W4-87", "2026W48-7", "2026-11-29T05:06:07 +02:00",
	} {
		at, ok := model.ParseISO(text)
		must.Hold(t, !ok, text, at)
	}
}

// TestWeekAndOrdinalDatesNameTheSameDay compares both forms with the calendar over 30 years.
func TestWeekAndOrdinalDatesNameTheSameDay(t *testing.T) {
	t.Parallel()
	for day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
		year, week := day.ISOWeek()
		weekDay := (int(day.Weekday())+6)%7 + 1
		for _, text := range []string{
			day.Format("2006-002"), day.Format("20060102"),
			day.Format("") + pad(year, 4) + "-W" + pad(week, 2) + "-" + pad(weekDay, 1),
		} {
			got, ok := model.ParseISO(text)
			must.Hold(t, ok && got.Equal(day), text, got, day)
		}
	}
}

func pad(n, width int) string {
	text := ""
	for range width {
		text = string(rune('0'+n%10)) + text
		n /= 10
	}
	return text
}
