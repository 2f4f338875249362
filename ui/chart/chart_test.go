package chart_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

// draw returns a chart without styles.
func draw(p chart.Prices, width, height int) string {
	b := style.NewBlock(style.NewTheme(style.Dark), width, height)
	p.Draw(b)
	return ansi.Strip(b.String())
}

var start = time.Date(2025, 12, 1, 9, 0, 0, 0, time.UTC)

// every returns points at equal intervals.
func every(d time.Duration, prices ...model.PriceCents) []chart.Point {
	var points []chart.Point
	for i, p := range prices {
		points = append(points, chart.Point{At: start.Add(time.Duration(i) * d), Price: p})
	}
	return points
}

func TestCharts(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	year := every(33*day, 500, 525, 550, 525, 500, 550, 575, 550, 575, 600)
	tests := []struct {
		name          string
		prices        chart.Prices
		width, height int
	}{
		{"year", chart.Prices{Points: year}, 60, 6},
		{"tall", chart.Prices{Points: year}, 60, 16},
		{"short", chart.Prices{Points: year}, 60, 2},
		{"narrow", chart.Prices{Points: year}, 14, 6},
		{"minutes", chart.Prices{Points: every(2*time.Minute, 500, 620, 560, 590)}, 60, 5},
		{"hours", chart.Prices{Points: every(8*time.Hour, 500, 620, 560, 590)}, 60, 5},
		{"days", chart.Prices{Points: every(10*day, 500, 620, 560, 590)}, 60, 5},
		{"decades", chart.Prices{Points: every(3000*day, 500, 620, 560, 590)}, 60, 5},
		{"zone", chart.Prices{Points: every(8*time.Hour, 500, 620, 560, 590), Zone: time.FixedZone("CET", 60*60)}, 60, 5},
		{"window", chart.Prices{Points: every(8*time.Hour, 9900, 620, 560, 590, 9900), From: start.Add(20 * time.Hour),
			To: start.Add(28 * time.Hour)}, 60, 5},
		{"still holds", chart.Prices{Points: every(time.Hour, 500, 620), To: start.Add(4 * time.Hour)}, 60, 5},
		{"before the window",
			chart.Prices{Points: every(time.Hour, 500), From: start.Add(time.Hour), To: start.Add(4 * time.Hour)}, 60, 5},
		{"no ask for a while", chart.Prices{Points: every(time.Hour, 500, model.UnknownPrice, 520)}, 60, 5},
		{"no ask in the end", chart.Prices{Points: every(time.Hour, 500, 520, model.UnknownPrice)}, 60, 5},
		{"one", chart.Prices{Points: every(time.Hour, 500)}, 60, 5},
		{"at one moment", chart.Prices{Points: every(0, 500, 560, 520)}, 60, 5},
		{"a spike", chart.Prices{Points: append(every(4*time.Hour, 500, 500),
			chart.Point{At: start.Add(2 * time.Hour), Price: 600}, chart.Point{At: start.Add(2 * time.Hour), Price: 520})}, 60,
			5},
		{"flat", chart.Prices{Points: every(time.Hour, 595, 595, 595)}, 60, 5},
		{"level", chart.Prices{Points: year, Level: chart.Level{Price: 530, Role: style.Paid, Shown: true}}, 60, 8},
		{"level above", chart.Prices{Points: year, Level: chart.Level{Price: 640, Role: style.Paid, Shown: true}}, 60, 8},
		{"level beside one price",
			chart.Prices{Points: every(time.Hour, 595, 595), Level: chart.Level{Price: 640, Shown: true}}, 60, 8},
		{"level too far", chart.Prices{Points: year, Level: chart.Level{Price: 1640, Role: style.Paid, Shown: true}}, 60, 8},
		{"level unknown", chart.Prices{Points: year, Level: chart.Level{Price: model.UnknownPrice, Shown: true}}, 60, 8},
		{"level free", chart.Prices{Points: every(time.Hour, 3, 5), Level: chart.Level{Price: 0, Shown: true}}, 60, 8},
		{"free", chart.Prices{Points: every(time.Hour, 0, 0)}, 60, 5},
		{"none", chart.Prices{Empty: "no prices seen yet"}, 60, 5},
		{"none known", chart.Prices{Points: every(time.Hour, model.UnknownPrice), Empty: "no prices seen yet"}, 60, 5},
		{"bought", chart.Prices{Points: year, Marks: []chart.Mark{
			{At: start.Add(50 * day), Price: 520, Sign: "★"}, {At: start.Add(80 * day), Price: 580, Sign: "★"},
			{At: start.Add(90 * day), Price: 1580, Sign: "★"}, {At: start.Add(-90 * day), Price: 530, Sign: "★"},
		}}, 60, 8},
		{"a night", chart.Prices{Points: every(8*time.Hour, 500, 620, 560, 590),
			Gaps: []chart.Gap{{From: start.Add(10 * time.Hour), Until: start.Add(16 * time.Hour)}}}, 60, 5},
		{"a night without a move",
			chart.Prices{Points: every(8*time.Hour, 500, 620, 560),
				Gaps: []chart.Gap{{From: start.Add(time.Hour), Until: start.Add(6 * time.Hour)}}}, 60, 5},
		{"gaps at both ends",
			chart.Prices{Points: every(8*time.Hour, 500, 620, 560, 590), From: start.Add(2 * time.Hour), Gaps: []chart.Gap{
				{From: start.Add(time.Hour), Until: start.Add(8 * time.Hour)},
				{From: start.Add(17 * time.Hour), Until: start.Add(24 * time.Hour)},
			}}, 60, 5},
		{"a gap of a moment",
			chart.Prices{Points: every(8*time.Hour, 500, 620, 560, 590),
				Gaps: []chart.Gap{{From: start.Add(8*time.Hour - 3*time.Minute), Until: start.Add(8 * time.Hour)}}}, 60, 5},
	}
	var got strings.Builder
	for _, test := range tests {
		if test.prices.Zone == nil {
			test.prices.Zone = time.UTC
		}
		got.WriteString("-- " + test.name + " --\n")
		got.WriteString(draw(test.prices, test.width, test.height) + "\n")
	}
	uitest.Golden(t, "charts", strings.TrimSuffix(got.String(), "\n"))
}

func TestChartNamesBothZonesAfterClockChange(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	lines := strings.Split(draw(chart.Prices{Points: every(30*24*time.Hour, 500, 620, 560), Zone: berlin}, 60, 5), "\n")
	times := lines[len(lines)-1]
	must.Hold(t, strings.HasPrefix(times, "CET "), "in winter the time", times)
	lines = strings.Split(draw(chart.Prices{Points: every(60*24*time.Hour, 500, 620, 560), Zone: berlin}, 60, 5), "\n")
	if times := lines[len(lines)-1]; !strings.HasPrefix(times, "CET/CEST ") {
		t.Errorf("from winter to summer the time is %q", times)
	}
}

func TestHoursHaveTheirDate(t *testing.T) {
	t.Parallel()
	dated := regexp.MustCompile(`\d [A-Z][a-z]{2}\b`)
	for width := 20; width <= 120; width += 7 {
		for _, length := range []time.Duration{7 * time.Minute, time.Hour, 5 * time.Hour, 24 * time.Hour, 40 * time.Hour} {
			for hour := range 24 {
				from := start.Add(time.Duration(hour)*time.Hour + 7*time.Minute)
				p := chart.Prices{Points: every(0, 500), From: from, To: from.Add(length), Zone: time.UTC}
				drawn := strings.Split(draw(p, width, 5), "\n")
				times := drawn[len(drawn)-1]
				must.Hold(t, dated.MatchString(times) || !strings.Contains(times, ":"), "no date", width, length, from, times)
			}
		}
	}
}

// The start of the chart may have several trades and an earlier price that is still valid.
// All of them must be drawn.
func TestPricesAtTheStartFitTheChart(t *testing.T) {
	t.Parallel()
	for name, prices := range map[string]chart.Prices{
		"at one moment": {Points: every(0, 9900, 620, 500), To: start.Add(time.Hour)},
		"before it":     {Points: every(time.Hour, 9900, 620, 500), From: start.Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			drawn := draw(prices, 60, 6)
			must.Hold(t, strings.Contains(drawn, "$100.00 ┼╮"), "the highest price is not drawn", drawn)
		})
	}
}

func TestChartsHaveExactSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.OneOf(rapid.Int64Range(-1, 3000), rapid.Int64Range(-1, math.MaxInt64))
		second := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 1<<33), rapid.Int64Range(-1<<37, 1<<37))
		moment := func(name string) time.Time { return start.Add(time.Duration(second.Draw(t, name)) * time.Second) }
		var p chart.Prices
		for range rapid.IntRange(0, 12).Draw(t, "points") {
			p.Points = append(p.Points, chart.Point{At: moment("at"), Price: model.PriceCents(price.Draw(t, "price"))})
		}
		if rapid.Bool().Draw(t, "window") {
			p.From, p.To = moment("from"), moment("to")
		}
		for range rapid.IntRange(0, 3).Draw(t, "gaps") {
			p.Gaps = append(p.Gaps, chart.Gap{From: moment("away"), Until: moment("back")})
		}
		width, height := rapid.IntRange(1, 240).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		lines := strings.Split(draw(p, width, height), "\n")
		must.Need(t, len(lines) == height, len(lines), height)
		for _, line := range lines {
			got := ansi.StringWidth(line)
			must.Need(t, got == width, "line", line, got, width)
		}
	})
}

// A single price must be the only label, at any height of the chart.
func TestSinglePriceHasTheOnlyLabel(t *testing.T) {
	t.Parallel()
	for height := 3; height < 20; height++ {
		for _, points := range [][]chart.Point{every(0, 1695), every(time.Hour, 1695, 1695)} {
			text := draw(chart.Prices{Points: points, Zone: time.UTC}, 60, height)
			must.Hold(t, strings.Count(text, "$") == 1 && strings.Contains(text, "$16.95 "), height, text)
		}
	}
}

func TestChartHasGapsWiderThanACell(t *testing.T) {
	t.Parallel()
	for away, want := range map[time.Duration]bool{time.Minute: false, 20 * time.Minute: true} {
		p := chart.Prices{Points: every(time.Hour, 500, 520, 510),
			Gaps: []chart.Gap{{From: start.Add(time.Hour - away), Until: start.Add(time.Hour)}}}
		must.Hold(t, p.Broken(60) == want && strings.Contains(draw(p, 60, 6), "·") == want,
			"away for", away, p.Broken(60), draw(p, 60, 6))
	}
}

func TestMarkedCountsVisibleMarks(t *testing.T) {
	t.Parallel()
	p := chart.Prices{Points: every(time.Hour, 500, 520), Marks: []chart.Mark{
		{At: start, Price: 505, Sign: "★"}, {At: start.Add(time.Minute), Price: 5050, Sign: "★"},
		{At: start.Add(-time.Minute), Price: 505, Sign: "★"},
	}}
	n := p.Marked()
	must.Hold(t, n == 1 && strings.Count(draw(p, 60, 6), "★") == 1, n, draw(p, 60, 6))
}

func numbers(text string) (all []int64) {
	for field := range strings.FieldsSeq(text) {
		all = append(all, must.Get(strconv.ParseInt(field, 10, 64)))
	}
	return all
}

func TestSparklines(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "sparklines", func(input string) string {
		all := numbers(input)
		values, width := all[:len(all)-1], all[len(all)-1]
		return string(chart.AppendSparkline(nil, values, int(width)))
	})
}

func TestBars(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "bars", func(input string) string {
		n := numbers(input)
		return chart.Bar(n[0], n[1], int(n[2]))
	})
}

func TestBarGrowsWithItsValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most, width := rapid.Int64Min(1).Draw(t, "most"), rapid.IntRange(1, 50).Draw(t, "width")
		a := rapid.Int64Range(1, most).Draw(t, "a")
		b := rapid.Int64Range(a, most).Draw(t, "b")
		shorter, longer := chart.Bar(a, most, width), chart.Bar(b, most, width)
		must.Need(t, utf8.RuneCountInString(longer) <= width &&
			utf8.RuneCountInString(shorter) <= utf8.RuneCountInString(longer) && shorter != "",
			"bars of", a, b, most, shorter, longer)
	})
}
