package exchange

import (
	"testing"
	"time"

	must "tonne/model/musttest"
)

func TestDigest(t *testing.T) {
	digest := func(rows ...[]any) (d Digest) {
		for _, row := range rows {
			d.add(row)
		}
		return d
	}
	one, two := []any{"a", "bc"}, []any{"ab", "c"}
	must.Equal(t, digest(one, two), digest(two, one), "the order of rows counts")
	different := []Digest{
		{}, digest(one), digest(two), digest(one, two), digest(one, one), digest([]any{"", ""}), digest([]any{nil, ""}),
		digest([]any{"", nil}),
		digest([]any{int64(1), int64(0)}), digest([]any{int64(1), int64(1)}), digest([]any{int64(-1), int64(1)}),
		digest([]any{[]byte("a"), "b"}),
	}
	for i, d := range different {
		for j, other := range different[:i] {
			must.Hold(t, d.Hash() != other.Hash(), "digests", i, j)
		}
	}
	d := digest([]any{int64(2), int64(-3)})
	must.Hold(t, d.Rows == 1 && int64(d.Sum) == -1, d)
}

func TestPeriodEndsInUTC(t *testing.T) {
	p := Period{Month: "2026-11"}
	for _, test := range []struct {
		now           time.Time
		over, tooLate bool
	}{
		{time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC), false, false},
		{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), true, false},
		{time.Date(2026, 12, 1, 0, 30, 0, 0, time.FixedZone("CET", 60*60)), false, false},
		// The clock that opened the month may have been weeks ahead.
		{time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC), false, false},
		{time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC), false, true},
	} {
		over, tooLate := p.Over(test.now), p.TooLate(test.now)
		must.Hold(t, over == test.over && tooLate == test.tooLate, "at", test.now, over, tooLate)
	}
}

func TestSerialRangeEndsWithItsBatch(t *testing.T) {
	of := Issuance{Registry: ACR, Project: "1129", Country: "US", Year: 2021, Next: 901, BatchSize: 1000}
	want := []SerialRange{{"ACR-US-1129-2021-2901-901 to 1000", 100}, {"ACR-US-1129-2021-2902-1001 to 2000", 1000},
		{"ACR-US-1129-2021-2903-2001 to 2001", 1}}
	must.Equal(t, of.take(1101), want)
	must.Equal(t, of.Next, 2002, "the next is")
	got := of.take(0)
	must.Hold(t, got == nil && of.Next == 2002, "nothing takes", got)
}

func TestSerialFormats(t *testing.T) {
	for registry, want := range map[string]string{
		Verra:        "10001-5-9-VCS-VCU-221-VER-ET-3-1340-01012021-31122021-0",
		GoldStandard: "GS1-1-ET-GS1340-3-2021-30001-5-9",
		ACR:          "ACR-ET-1340-2021-2901-5 to 9",
		CAR:          "CAR-1-ET-1340-31-983-KS-2021-9201-5 to 9",
		ART:          "ART-ET-1340-2021-1-5 to 9",
		Puro:         "PURO_PR_CORC100+_ET_1340_2021_e024a631-536f-038a-fb5a-36e8f8fc2ff5_5-9",
		"SOMEBODY":   "5-9",
	} {
		of := Issuance{Registry: registry, Project: "1340", Country: "ET", Kind: "Cookstoves", Year: 2021, Next: 5,
			BatchSize: 1000}
		got := of.take(5)
		must.Hold(t, len(got) == 1 && got[0].Serial == want, registry, got, want)
	}
}
