package ui

import (
	"context"
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestNotificationHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"00m is COMPLETE.":        "00m is COMPLETE.",
		"a\x07\x1b]52;c;aGk=\x07": "a\uFFFD\uFFFD]52;c;aGk=\uFFFD",
		"森1️⃣\u009c\n":            "森1️⃣\uFFFD\uFFFD",
		strings.Repeat("x", 1000): strings.Repeat("x", 199) + "…",
	} {
		r := newRobot(t, 120, 36)
		r.send(result{value: effect.Notify{Text: text}})
		want := "\x1b]9;" + want + "\x07\x07"
		must.Hold(t, len(r.raw) == 1 && r.raw[0] == want, text, r.raw, want)
	}
}

func TestResultGoesToTheTabThatStartedTheWork(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.ShowInventory()
	prompt := effect.Work(func(context.Context) any { return tab.Prompt{Title: "Of the market"}.Ask() })
	r.run(r.app.run(0, prompt))
	must.Hold(t, r.app.active == 1 && r.app.dialog.tab == 0, "tab", r.app.active, r.app.dialog.tab)
	r.Press("esc")
	empty := session.MarketEvent{Status: r.app.view.Market.Status, Generation: 99, Market: new(market.Market)}
	r.run(r.app.run(0, effect.Work(func(context.Context) any { return empty })))
	r.Sees("Bale Mountains")
	r.Press("1")
	r.SeesNot("Bale Mountains")
}

// copied returns the text of the last clipboard sequence.
func copied(t testing.TB, r *robot) string {
	t.Helper()
	sequence := uitest.LastOf(r.raw)
	encoded := strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b]52;c;"), "\a")
	text, err := base64.StdEncoding.DecodeString(encoded)
	must.Need(t, err == nil, sequence, err)
	return string(text)
}

func TestABatchLeavesOutWhatAsksForNothing(t *testing.T) {
	t.Parallel()
	a, b := effect.Say("a"), effect.Warn("b")
	for name, test := range map[string]struct{ got, want effect.Effect }{
		"none":      {effect.Batch(), nil},
		"all nil":   {effect.Batch(nil, nil), nil},
		"one":       {effect.Batch(nil, a), a},
		"in order":  {effect.Batch(a, nil, b), effect.Several{a, b}},
		"in itself": {effect.Batch(a, effect.Batch(nil, b)), effect.Several{a, b}},
	} {
		must.Hold(t, reflect.DeepEqual(test.got, test.want), name, test.got, test.want)
	}
}
