package market

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/ui/uitest"
)

// comparing marks vintages after a day of prices and compares them: one that was bought, its neighbour, one with
// a label, and one of another kind.
func comparing(r *robot) {
	for n := range 20 {
		r.later(34 * time.Minute)
		r.poll(uitest.Market(model.PriceCents(n * n % 37)))
	}
	r.Hear(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{
		{Scope: attribute.OfProject, ID: "003cabo", Attribute: attribute.CCP, Value: attribute.Labelled},
	})})
	r.Press("M", "j", "M", "j", "j", "j", "j", "M", "G", "M", "=")
}

func thin(r *robot) {
	var part market.Page
	part.AddProject("003camb")
	for n, tonnes := range []model.Grams{5, 2000} {
		part.AddVintage(fmt.Sprint("004camb", n), 2020+n)
		part.AddOrder(fmt.Sprint("006camb", n), tonnes*model.GramsPerTonne, 412)
	}
	r.poll(market.New(&part))
}

func TestComparisonIsCopiedAndExported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("M", "j", "M", "=", "l", "y")
	if got := uitest.LastOf(r.Copied); got != "004bale1" {
		t.Errorf("y copied %q", got)
	}
	r.Press("j", "j", "j", "Y")
	if got := uitest.LastOf(r.Copied); got != "best ask\t6.20\t6.80" {
		t.Errorf("Y copied %q", got)
	}
	for ending, want := range map[string]string{
		".csv":  "003bale,Bale Mountains,004bale1,2020,680,4650500000,680,680,68000,680,700400,700,3519000,757,710,2026-10-24T09:14:05.000Z,0,REDD+,ET,VERRA,,,,,,\n",
		".json": `"different":["vintage_year","best_ask_cents","depth","last_paid","held_grams"]}`,
	} {
		path := filepath.Join(t.TempDir(), "compared"+ending)
		r.Press("e")
		r.Reply(path)
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(text), want) {
			t.Errorf("%s is %s (%v)", ending, text, err)
		}
	}
}
