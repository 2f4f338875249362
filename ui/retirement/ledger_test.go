package retirement

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/uitest"
)

func TestTheLedgerSurvivesARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	first := newRobot(t, Options{Store: memory(t, path)})
	first.paste("00mdone0001 00mopen0001 00mgone0001 00mtypo0001")
	first.found(uitest.Retirement("00mdone0001", model.Complete), uitest.Retirement("00mopen0001", model.Open))
	first.Hear(feed.RetirementEvent{ID: "00mtypo0001", Err: &api.Error{Kind: api.NotFound, Code: "NOT_FOUND", Message: "no such request"}})
	first.Press("L")
	first.Reply("Q3 flights")
	first.Press("j", "j", "x")
	first.hears("Removed 00mgone0001")
	first.Hear(feed.CertificateEvent{ID: "00mdone0001", Saved: &api.Certificate{
		Path: "/nowhere/c.pdf", MediaType: "application/pdf", Size: 5, SHA256: strings.Repeat("ab", 32), FetchedAt: first.Now,
	}})

	second := newRobot(t, Options{Store: memory(t, path)})
	second.Sees("3 requests", "00mdone0001", "Q3 flights", "00mopen0001", "00mtypo0001", "COMPLETE", "sha256 abab…abab", "the file is gone")
	second.SeesNot("00mgone0001")
	if got, want := second.feed.Asked, []string{"look up 00mtypo0001", "follow 00mopen0001"}; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("at the start the feed was asked to %q, want %q: what is final is not polled", got, want)
	}
	before := len(second.feed.Asked)
	second.tab.Leave()
	second.Run(second.tab.Enter())
	if len(second.feed.Asked) != before {
		t.Errorf("showing the tab again asked for %q", second.feed.Asked[before:])
	}
}

func TestTwoDashboardsShareALedger(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	a, b := newRobot(t, Options{Store: memory(t, path)}), newRobot(t, Options{Store: memory(t, path)})
	a.paste("00mboth0001 00mboth0002")
	b.Run(b.tab.Enter())
	b.Sees("00mboth0001", "00mboth0002")
	b.Press("L")
	b.Reply("named by b")
	b.Press("j", "x")
	a.Now = a.Now.Add(time.Minute)
	a.found(uitest.Retirement("00mboth0001", model.Complete))
	a.Run(a.tab.Enter())
	a.Sees("named by b", "COMPLETE")
	a.SeesNot("00mboth0002")
	b.Run(b.tab.Enter())
	b.Sees("COMPLETE")
}

func TestWhatWasJustChangedIsKeptWhenTheDashboardEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	r := newRobot(t, Options{Store: memory(t, path)})
	r.paste("00mlabel001")
	r.Press("L")
	// The command that writes is never run: the dashboard ends first.
	answer, problem := r.Prompt.Parse("kept")
	if problem != "" {
		t.Fatal(problem)
	}
	r.tab.Handle(answer)
	if err := r.tab.Close(); err != nil {
		t.Fatal(err)
	}
	newRobot(t, Options{Store: memory(t, path)}).Sees("kept")
}

func TestALedgerThatCannotBeKeptSaysSo(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{Store: memory(t, t.TempDir())})
	r.hears("kept for this run only")
	r.Sees("Nothing is remembered after this run")
	r.paste("00mhere0001")
	r.Run(r.tab.Enter())
	r.Sees("00mhere0001")
	if n := len(r.Said); r.Said[n-1] != r.Said[0] || n != 1 {
		t.Errorf("it was said more than once: %q", r.Said)
	}
}

func TestALedgerOfAnotherServiceStaysThere(t *testing.T) {
	t.Parallel()
	s := memory(t, "")
	newRobot(t, Options{Store: s, Origin: "https://one.example"}).paste("00mother001")
	newRobot(t, Options{Store: s, Origin: "https://two.example"}).SeesNot("00mother001")
}

func TestRequestsAreFollowedAsTheyNeed(t *testing.T) {
	t.Parallel()
	unreachable := &api.Error{Kind: api.Unreachable, Message: "connection refused"}
	unknown := &api.Error{Kind: api.NotFound}
	pending, final := uitest.Retirement(sampleID, model.Closed), uitest.Retirement(sampleID, model.Complete)
	soon := uitest.Now.Add(time.Minute)
	for name, c := range map[string]struct {
		news             feed.RetirementEvent
		follow, unfollow int
	}{
		"waits for invoices":       {feed.RetirementEvent{Retirement: pending}, 1, 0},
		"is followed already":      {feed.RetirementEvent{Retirement: pending, NextAt: soon}, 0, 0},
		"is final":                 {feed.RetirementEvent{Retirement: final}, 0, 0},
		"no connection":            {feed.RetirementEvent{Err: unreachable}, 1, 0},
		"not found":                {feed.RetirementEvent{Err: unknown}, 0, 0},
		"followed, but not found":  {feed.RetirementEvent{Err: unknown, NextAt: soon}, 0, 1},
		"found once, not just now": {feed.RetirementEvent{Retirement: pending, Err: unreachable, NextAt: soon}, 0, 0},
		"too many requests":        {feed.RetirementEvent{Err: &api.Error{Kind: api.RateLimited}}, 0, 0},
		"under way":                {feed.RetirementEvent{Fetching: true}, 0, 0},
	} {
		r := newRobot(t, Options{})
		r.paste(sampleID)
		c.news.ID = sampleID
		r.Hear(c.news)
		if follow, unfollow := r.asked("follow "+sampleID), r.asked("unfollow "+sampleID); follow != c.follow || unfollow != c.unfollow {
			t.Errorf("%s: followed %d times and left %d times, want %d and %d", name, follow, unfollow, c.follow, c.unfollow)
		}
	}
}

func TestAChangeOfStateIsAnnouncedWhicheverTabIsShown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mone00001 00mtwo00001")
	r.found(uitest.Retirement("00mone00001", model.Closed), uitest.Retirement("00mtwo00001", model.Closed))
	if len(r.Notified) > 0 {
		t.Errorf("a first answer is no change: %q", r.Notified)
	}
	r.tab.Leave()
	r.Hear(
		feed.RetirementEvent{ID: "00mone00001", Retirement: uitest.Retirement("00mone00001", model.InProgress), At: r.Now},
		feed.RetirementEvent{ID: "00mtwo00001", Retirement: uitest.Retirement("00mtwo00001", model.Complete), At: r.Now},
	)
	want := []string{"Retirement 00mone00001 is IN PROGRESS. 1 other changed too."}
	if !slices.Equal(r.Notified, want) || r.tab.Badge() == "" {
		t.Errorf("notified of %q with the badge %q, want %q", r.Notified, r.tab.Badge(), want)
	}
	r.Run(r.tab.Enter())
	if r.tab.Badge() != "" {
		t.Error("the badge stays when the tab is shown")
	}
}

func TestAFailureKeepsTheLastAnswer(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(sampleID)
	r.found(request(model.Closed))
	r.Hear(feed.RetirementEvent{ID: sampleID, Retirement: request(model.Closed), At: r.Now, Err: errors.New("connection refused")})
	r.Sees("CLOSED", "⚠ as of 2 Nov 2026 09:14:05 UTC: connection refused")
}

func TestTheHeaderTellsOfTheSelectedRequest(t *testing.T) {
	t.Parallel()
	away, unknown, key := &api.Error{Kind: api.Unreachable}, &api.Error{Kind: api.NotFound}, &api.Error{Kind: api.Unauthorized}
	pending, final := request(model.Open), request(model.Complete)
	at, later := uitest.Now.Add(-time.Minute), uitest.Now.Add(time.Minute)
	live, market := uitest.Live(), feed.Status{State: feed.Stale, Err: away}
	for name, c := range map[string]struct {
		market feed.Status
		news   feed.RetirementEvent
		want   feed.Status
	}{
		"live, whatever the market is": {market, feed.RetirementEvent{Retirement: pending, At: at, NextAt: later}, feed.Status{State: feed.Live, At: at}},
		"stale though the market is live": {
			live, feed.RetirementEvent{Retirement: pending, At: at, Err: away, NextAt: later},
			feed.Status{State: feed.Stale, At: at, Err: away, RetryAt: later},
		},
		"loading":             {live, feed.RetirementEvent{Fetching: true}, feed.Status{State: feed.Loading, Fetching: true}},
		"not reached at all":  {live, feed.RetirementEvent{Err: away, NextAt: later}, feed.Status{State: feed.Loading, Err: away, RetryAt: later}},
		"not found":           {live, feed.RetirementEvent{Err: unknown}, feed.Status{State: feed.Loading, Err: unknown}},
		"refused":             {live, feed.RetirementEvent{Retirement: pending, At: at, Err: key}, feed.Status{State: feed.Refused, At: at, Err: key}},
		"polling is paused":   {feed.Status{State: feed.Paused}, feed.RetirementEvent{Retirement: pending, At: at}, feed.Status{State: feed.Paused, At: at}},
		"final while paused":  {feed.Status{State: feed.Paused}, feed.RetirementEvent{Retirement: final, At: at}, feed.Status{State: feed.Live, At: at}},
		"the key was refused": {feed.Status{State: feed.Refused, Err: key}, feed.RetirementEvent{Retirement: pending, At: at}, feed.Status{State: feed.Refused, At: at, Err: key}},
	} {
		r := newRobot(t, Options{})
		r.Hear(feed.MarketEvent{Status: c.market})
		if got := r.tab.Health(); got != c.market {
			t.Errorf("%s: with no request the state is %+v, want that of the market", name, got)
		}
		r.paste(sampleID)
		c.news.ID = sampleID
		r.Hear(c.news)
		if got := r.tab.Health(); got != c.want {
			t.Errorf("%s: the state is %+v, want %+v", name, got, c.want)
		}
	}
}

func TestASortedLedgerSaysSoWhateverColumnsThereAre(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	crowd(r)
	r.Press("S")
	r.hears("Press s first to choose a column.")
	for _, step := range []struct{ key, column string }{{"s", "REQUEST ▲"}, {"s", "STATE ▲"}, {"S", "STATE ▼"}, {"s", "LABEL ▲"}, {"s", "QUANTITY ▲"}} {
		r.Press(step.key)
		for _, size := range [][2]int{{60, 20}, {80, 24}, {100, 15}, {120, 36}, {200, 50}} {
			r.Text = func() string { return ansi.Strip(r.FrameAt(size[0], size[1])) }
			if n := strings.Count(r.Text(), step.column); n != 1 {
				t.Errorf("%v: %q is there %d times:\n%s", size, step.column, n, r.Text())
			}
		}
	}
}

func TestAWideTerminalShowsTheLedgerWhole(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mnothing01")
	r.found(uitest.Retirement("00mnothing01", model.NothingToProcess))
	r.Text = func() string { return ansi.Strip(r.FrameAt(200, 50)) }
	rule := func() int { return strings.Index(r.Line("LOOK UP"), "│") }
	if at := rule(); at > 70 {
		t.Errorf("the ledger takes %d columns that it does not need", at)
	}
	r.Press("L")
	r.Reply("offsets of the third quarter")
	if line := r.Line("  00mnothing01"); !strings.Contains(line, "NOTHING TO PROCESS") || !strings.Contains(line, "offsets of the third quarter  ") {
		t.Errorf("the ledger is cut: %q", line)
	}
	r.Press("C")
	for _, column := range r.Choices {
		r.Run(r.tab.Handle(effect.Toggled{Key: column.Key, On: true}))
	}
	if at := rule(); at > widestLedger+2 {
		t.Errorf("the ledger takes %d columns", at)
	}
}

func TestARequestThatWasNotReachedIsMarked(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00maway0001 00mgone0001 00mopen0001")
	r.Hear(
		feed.RetirementEvent{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}},
		feed.RetirementEvent{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}},
		feed.RetirementEvent{ID: "00mopen0001", Retirement: uitest.Retirement("00mopen0001", model.Open), At: r.Now, Err: &api.Error{Kind: api.TimedOut}},
	)
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 41}} {
		r.Text = func() string { return ansi.Strip(r.FrameAt(size[0], size[1])) }
		for id, want := range map[string][2]string{"00maway0001 ": {"⚠ ", "not reached"}, "00mopen0001 ": {"⚠ ", "not reached"}, "00mgone0001 ": {"✗ ", ""}} {
			if line := r.Line("  " + id); !strings.Contains(line, want[0]) || !strings.Contains(line, want[1]) {
				t.Errorf("%q is not in %q", want, line)
			}
		}
	}
	r.SeesNot("✗  00maway0001")
}

func TestWhatIsRemovedCanBeBroughtBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	r := newRobot(t, Options{Store: memory(t, path)})
	r.Press("z")
	r.hears("Nothing was removed")
	r.paste(sampleID)
	r.found(request(model.Closed))
	r.Press("L")
	r.Reply("invoice 2\x1b]0;evil\x07 open")
	r.Press("x")
	r.SeesNot(sampleID)
	r.Press("z")
	r.Sees(sampleID, "invoice 2]0;evil open", "CLOSED")
	if r.asked("unfollow "+sampleID) != 1 || r.asked("follow "+sampleID) != 2 {
		t.Errorf("the feed was asked to %q", r.feed.Asked)
	}
	newRobot(t, Options{Store: memory(t, path)}).Sees(sampleID, "invoice 2]0;evil open", "CLOSED")
}

func TestTheLedgerIsSearchedAndSorted(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	crowd(r)
	for query, want := range map[string]string{
		"nothing": "00m000000000000004", "closed": "00m000000000000002", "notthere": "00mnotthere0000000", "0003": "00m000000000000003",
	} {
		r.Press("/")
		r.typed(query)
		r.Press("enter")
		r.Sees("1 of 6 requests", want)
		r.Press("esc")
	}
	r.Press("/")
	r.typed("bale")
	r.Sees("5 of 6 requests")
	r.Press("esc")
	r.Sees("6 requests")
	r.Press("s", "S")
	r.Sees("REQUEST ▼")
	r.Press("C")
	if len(r.Choices) < 6 {
		t.Errorf("%d columns to choose from", len(r.Choices))
	}
}

func TestManyAnswersAtOnceAreShownOnce(t *testing.T) {
	t.Parallel()
	const many = 1000
	r := newRobot(t, Options{Store: memory(t, "")})
	ids := make([]string, many)
	for i := range ids {
		ids[i] = fmt.Sprintf("00m%015d", i)
	}
	r.Run(r.tab.add(ids))
	if got := r.tab.Status(); got != "looked up 0 of 1,000" {
		t.Errorf("the status is %q", got)
	}
	var news []feed.Event
	for i, id := range ids {
		e := feed.RetirementEvent{ID: id, Retirement: uitest.Retirement(id, model.Complete), At: r.Now}
		if i%100 == 0 {
			e = feed.RetirementEvent{ID: id, Err: &api.Error{Kind: api.NotFound}}
		}
		news = append(news, e)
	}
	r.Hear(news...)
	r.hears("Looked up 1,000 requests, 10 not found.")
	kept, err := r.tab.o.Store.Ledger(t.Context(), r.tab.o.Origin)
	answered := 0
	for _, k := range kept {
		if k.Answer != nil {
			answered++
		}
	}
	if err != nil || len(kept) != many || answered != many-10 || kept[many-1].ID != ids[0] {
		t.Errorf("the store has %d requests and %d answers, %v", len(kept), answered, err)
	}
}

func TestWhatBecameOfLookUpsIsSaid(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mgone0001 00mgone0002 00maway0001 00mslow0001 00mdone0001")
	r.Hear(
		feed.RetirementEvent{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}},
		feed.RetirementEvent{ID: "00mgone0002", Err: &api.Error{Kind: api.NotFound}},
		feed.RetirementEvent{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}},
		feed.RetirementEvent{ID: "00mslow0001", Err: &api.Error{Kind: api.ServerError, Status: 500}},
	)
	r.found(uitest.Retirement("00mdone0001", model.Complete))
	r.hears("Looked up 5 requests, 2 not found, 1 not reached, 1 failed.")
}

func TestHintsAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	ready := false
	r := newRobot(t, Options{Hints: func() []Hint {
		if !ready {
			return nil
		}
		return []Hint{{ID: "00mhint0001", Label: "complete"}, {ID: "00mhint0002", Label: "open"}}
	}})
	r.Sees("The ledger is empty")
	ready = true
	r.Hear(feed.MarketEvent{})
	r.Run(r.tab.Enter())
	r.Sees("00mhint0001", "complete", "00mhint0002", "open")
	if n := r.asked("look up 00mhint0001"); n != 1 {
		t.Errorf("looked up %d times", n)
	}
}

func TestTheStatusCountsDown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(sampleID)
	r.Hear(feed.RetirementEvent{ID: sampleID, Retirement: request(model.Open), At: r.Now, NextAt: r.Now.Add(2500 * time.Millisecond)})
	for _, want := range []string{"1 followed · next look-up in 3s", "1 followed · next look-up in 2s", "1 followed · next look-up in 1s", "1 followed"} {
		if got := r.tab.Status(); got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
		next, any := r.tab.Expire(r.Now)
		if any {
			r.Now = next
		}
	}
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("the clock ticks on though nothing changes")
	}
}
