package market

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

var bale = uitest.Key("003bale", 0)

func TestWatchedVintagesAreMarkedAndStored(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("◆")
	r.Press("f")
	r.Sees("2019  ◆")
	if kept, err := r.session.store.Of(origin).Alerts.Watched(t.Context()); err != nil || !kept[bale] {
		t.Errorf("stored %v (%v)", kept, err)
	}
	r.Press("f")
	r.SeesNot("◆")
	if kept, _ := r.session.store.Of(origin).Alerts.Watched(t.Context()); len(kept) != 0 {
		t.Errorf("still stored: %v", kept)
	}
}

func TestRewatchingRestoresRules(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for _, rule := range []string{"price < 5", "drops 10% from 6.20"} {
		r.Press("a")
		r.Reply(rule)
	}
	before := r.session.list
	r.Press("f")
	if said := uitest.LastOf(r.Said); said != "Unwatched, 2 rules removed; f restores Bale Mountains 2019." || len(r.session.list.Rules) != 0 {
		t.Errorf("says %q, %d rules", said, len(r.session.list.Rules))
	}
	r.Press("j", "f", "k", "f")
	if said := uitest.LastOf(r.Said); said != "Watching Bale Mountains 2019 again, with 2 rules. w lists them." {
		t.Errorf("says %q", said)
	}
	kept, err := r.session.store.Of(origin).Alerts.Rules(t.Context())
	if err != nil || len(kept) != 2 || !slices.Equal(r.session.list.Rules, before.Rules) || !slices.Equal(r.tab.watch.Rules, before.Rules) {
		t.Errorf("%v, stored %v, reported %v, shown %v", err, kept, r.session.list.Rules, r.tab.watch.Rules)
	}
	r.Press("j", "f", "f")
	if said := uitest.LastOf(r.Said); said != "Watching Bale Mountains 2020. a adds a rule." {
		t.Errorf("vintage without rules: %q", said)
	}
}

func TestWatchedOnlyHidesOtherVintages(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("F")
	if said := uitest.LastOf(r.Said); !strings.Contains(said, "You watch nothing yet") {
		t.Errorf("F says %q", said)
	}
	r.Press("j", "j", "f", "F")
	r.Sees("Bale Mountains", "watched only · 1 of 15 vintages")
	r.SeesNot("Cabo Leones")
	r.poll(uitest.Market(10))
	r.SeesNot("Cabo Leones")
	r.Press("esc")
	r.Sees("Cabo Leones")
	if key, _ := r.tab.list.table.CurrentKey(); key != uitest.Key("003bale", 2) {
		t.Errorf("the cursor is on %v", key)
	}
}

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

func TestRuleAlreadyMetWhenAddedNotifies(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	r.Reply("available > 1000 t")
	if want := []string{"Already met: available > 1,000 t · now 4,650.500000 t · Bale Mountains 2019 · rule added"}; !slices.Equal(r.Notified, want) {
		t.Errorf("notified %q, want %q", r.Notified, want)
	}
}

func TestCursorStaysOnNewRuleAfterItStarts(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("a")
	r.Reply("price < 1")
	r.Press("a")
	r.Reply("drops 10%")
	r.Press("j", "a")
	r.Reply("price < 1")
	r.Press("k", "a")
	r.Reply("rises 20%")
	list := r.tab.watch.Watchlist
	rise := list.Rules[len(list.Rules)-1]
	r.Hear(session.WatchlistEvent{Edits: r.tab.watch.edits, Watchlist: list.WithoutRule(rise).WithRule(rise.From(620))})
	if on, _ := r.tab.watch.list.table.Current(); on.Rule.String() != "rises 20.0% from $6.20" {
		t.Errorf("the cursor is on %q", on.Rule.Words())
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

func TestRulesAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("x")
	if said := uitest.LastOf(r.Said); !strings.Contains(said, "w opens the watch list") {
		t.Errorf("x says %q", said)
	}
	r.Press("w")
	r.Sees("You watch nothing yet.", "f watches the selected vintage")
	r.Press("j", "j", "j", "a")
	r.Reply("5% under last paid")
	r.Sees("≥ 5.0% under last paid", "never bought")
	r.Press("g", "g", "enter", "enter")
	r.Sees("BaumInvest Reforestation · 2018  order book")
	if key, _ := r.tab.list.table.CurrentKey(); key != uitest.Key("003baum", 0) {
		t.Errorf("↵ in the list went to %v", key)
	}
	r.Press("w", "x")
	r.Sees("no rule yet")
	r.Press("x")
	r.Sees("You watch nothing yet.")
	if alerts, err := r.session.store.Of(origin).Alerts.Rules(t.Context()); err != nil || len(alerts) != 0 {
		t.Errorf("stored %v (%v)", alerts, err)
	}
}

func TestLostStoreContentIsReported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Hear(session.StoreEvent{Lost: errors.New("the local store was empty")})
	if said := uitest.LastOf(r.Said); said != "The local store was empty." {
		t.Errorf("said was %q", said)
	}
}

func TestUnwritableStoreIsReportedOnceAndExplained(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Hear(session.StoreEvent{Problem: errors.New("nothing is saved: move it away")})
	if said := uitest.LastOf(r.Said); said != "Prices and watched vintages are lost when you quit. Press c for the reason." {
		t.Errorf("says %q", said)
	}
	said := len(r.Said)
	r.later(time.Minute)
	r.poll(uitest.Market(5))
	if len(r.Said) != said {
		t.Errorf("reported again: %q", r.Said[said:])
	}
	r.Sees("moved 0s ago: $6.20 → $6.25", "▁▁▁▁▁▁▁▇")
	r.Press("c")
	r.Sees("⚠ nothing is saved: move it away")
}

func TestEditShowsBeforeSessionConfirms(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Robot.Press("f")
	r.Sees("2019  ◆")
	r.Robot.Press("j", "a")
	r.Robot.Reply("best ask <= 1.00")
	r.Robot.Press("w")
	r.Sees("Bale Mountains", "no rule yet", "best ask ≤ $1.00")
	r.Robot.Press("k", "f")
	r.SeesNot("no rule yet")
}

func TestWatchListOlderThanEditIsIgnored(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("f")
	r.Hear(session.WatchlistEvent{})
	r.Sees("◆")
	r.Hear(session.WatchlistEvent{Edits: 1})
	r.SeesNot("◆")
}

func TestWatchListEditedElsewhereIsShown(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("◆")
	r.Press("w")
	r.Hear(session.WatchlistEvent{Watchlist: session.Watchlist{}.With(bale)})
	r.Sees("2019  ◆", "no rule yet")
}

func TestFailedWatchListWriteIsReported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	held := errors.New("locked by another program")
	r.Hear(session.StoreEvent{Failed: []session.WriteError{{Subject: session.WatchlistWrites, Err: held}}})
	if said := uitest.LastOf(r.Said); said != "Could not save the watch list: locked by another program." {
		t.Errorf("says %q", said)
	}
	said := len(r.Said)
	r.Hear(session.StoreEvent{Failed: []session.WriteError{{Subject: session.LedgerWrites, Err: held}}})
	if len(r.Said) != said {
		t.Errorf("write error of another tab: %q", r.Said[said:])
	}
}
