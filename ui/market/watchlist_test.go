package market

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

var bale = uitest.Key("003bale", 0)

func TestRuleNotifiesOncePerCrossing(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	for typed, want := range map[string]string{"best ask 6.00": `"best ask 6.00" is no rule`, "cheap": `"cheap" is no rule: write "price < 5"`, "best ask <= six": `"six"`} {
		if problem := r.Reply(typed); !strings.Contains(problem, want) {
			t.Errorf("%q: the problem is %q", typed, problem)
		}
	}
	if problem := r.Reply("best ask <= 6.00"); problem != "" {
		t.Fatal(problem)
	}
	polls := []struct {
		shift model.PriceCents
		told  int
	}{{0, 0}, {-10, 0}, {-20, 1}, {-25, 1}, {-20, 1}, {5, 1}, {-40, 2}}
	for n, poll := range polls {
		r.later(5 * time.Second)
		r.poll(uitest.Market(poll.shift))
		if len(r.Notified) != poll.told {
			t.Fatalf("after poll %d: notified %q, want %d", n, r.Notified, poll.told)
		}
	}
	if want := "best ask ≤ $6.00 fired: Bale Mountains 2019 · now $5.80"; r.Notified[1] != want {
		t.Errorf("notified %q, want %q", r.Notified[1], want)
	}
}

func TestManyFiredRulesAreOneNotification(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for range 5 {
		r.Press("a")
		r.Reply("best ask <= 0.01")
		r.Press("j")
	}
	var part market.Page
	for _, project := range []string{"003bale", "003baum", "003cabo"} {
		part.AddProject(project)
		for n := range 3 {
			part.AddVintage(uitest.Key(project, n).VintageID, 2020)
			part.AddOrder(project+string(rune('0'+n)), 5*model.GramsPerTonne, 1)
		}
	}
	r.poll(market.New(&part))
	if want := []string{"5 rules fired"}; !slices.Equal(r.Notified, want) {
		t.Errorf("notified %q, want %q", r.Notified, want)
	}
}
