package retirement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/retirement/importer"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestLedgerIsOpenedAtStartAndWhenShown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	opened := r.asked("open ledger")
	r.tab.Handle(tab.Hidden{})
	r.enters()
	if again := r.asked("open ledger"); opened != 2 || again != 3 {
		t.Errorf("opened %d times, then %d times", opened, again)
	}
}

func TestKeysSeeUnconfirmedEdits(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mone00001 00mtwo00001 00mtri00001")
	// From now on no event of the session arrives.
	press := r.Robot.Press
	press("x", "x", "+", "0", "1", "enter", "L")
	if r.Prompt == nil || r.Prompt.Heading != "Label of 01" {
		t.Errorf("prompt %+v", r.Prompt)
	}
	r.Sees("2 requests", "00mtri00001", "looking up")
	press("x", "Z", "Z")
	r.Sees("3 requests", "00mtwo00001")
	r.listen()
	r.Sees("3 requests", "00mtwo00001", "01", "00mtri00001")
	r.SeesNot("00mone00001")
}

func TestStateChangeNotifiesOnAnyTab(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mone00001 00mtwo00001")
	r.found(uitest.Retirement("00mone00001", retirement.Closed), uitest.Retirement("00mtwo00001", retirement.Closed))
	if len(r.Notified) > 0 {
		t.Errorf("the first answer notified: %q", r.Notified)
	}
	r.tab.Handle(tab.Hidden{})
	r.answered(
		uitest.Answer{ID: "00mone00001", Retirement: uitest.Retirement("00mone00001", retirement.InProgress), At: r.Now},
		uitest.Answer{ID: "00mtwo00001", Retirement: uitest.Retirement("00mtwo00001", retirement.Complete), At: r.Now},
	)
	want := []string{"Retirement 00mone00001 is IN PROGRESS. 1 other changed too."}
	if !slices.Equal(r.Notified, want) || r.tab.Info().Badge == "" {
		t.Errorf("notified of %q with the badge %q, want %q", r.Notified, r.tab.Info().Badge, want)
	}
	r.enters()
	if r.tab.Info().Badge != "" {
		t.Error("the badge stays when the tab is shown")
	}
}

func TestHeaderShowsHealthOfSelectedRequest(t *testing.T) {
	t.Parallel()
	away, unknown, key := &api.Error{Kind: api.Unreachable}, &api.Error{Kind: api.NotFound}, &api.Error{Kind: api.Unauthorized}
	pending, final := request(retirement.Open), request(retirement.Complete)
	at, later := uitest.Now.Add(-time.Minute), uitest.Now.Add(time.Minute)
	live, market := uitest.Live(), session.Status{State: session.Stale, Err: away}
	for name, c := range map[string]struct {
		market session.Status
		news   uitest.Answer
		want   session.Status
	}{
		"live although the market is stale": {market, uitest.Answer{Retirement: pending, At: at, NextAt: later}, session.Status{State: session.Live, At: at}},
		"stale though the market is live": {
			live, uitest.Answer{Retirement: pending, At: at, Err: away, NextAt: later},
			session.Status{State: session.Stale, At: at, Err: away, RetryAt: later},
		},
		"loading":             {live, uitest.Answer{Fetching: true}, session.Status{State: session.Loading, Fetching: true}},
		"not reached at all":  {live, uitest.Answer{Err: away, NextAt: later}, session.Status{State: session.Loading, Err: away, RetryAt: later}},
		"not found":           {live, uitest.Answer{Err: unknown}, session.Status{State: session.Loading, Err: unknown}},
		"refused":             {live, uitest.Answer{Retirement: pending, At: at, Err: key}, session.Status{State: session.Refused, At: at, Err: key}},
		"polling is paused":   {session.Status{State: session.Paused}, uitest.Answer{Retirement: pending, At: at}, session.Status{State: session.Paused, At: at}},
		"final while paused":  {session.Status{State: session.Paused}, uitest.Answer{Retirement: final, At: at}, session.Status{State: session.Live, At: at}},
		"the key was refused": {session.Status{State: session.Refused, Err: key}, uitest.Answer{Retirement: pending, At: at}, session.Status{State: session.Refused, At: at, Err: key}},
	} {
		r := newRobot(t, Options{})
		r.Hear(session.MarketEvent{Status: c.market})
		if got := r.tab.Info().Health; got != c.market {
			t.Errorf("%s: without a request the state is %+v, want that of the market", name, got)
		}
		r.paste(sampleID)
		c.news.ID = sampleID
		r.answered(c.news)
		if got := r.tab.Info().Health; got != c.want {
			t.Errorf("%s: the state is %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWideTerminalShowsUncutLedger(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00mnothing01")
	r.found(uitest.Retirement("00mnothing01", retirement.NothingToProcess))
	r.Text = func() string { return ansi.Strip(r.FrameAt(200, 50)) }
	rule := func() int { return strings.Index(r.Line("LOOK UP"), "│") }
	if at := rule(); at > 70 {
		t.Errorf("the ledger takes %d unneeded columns", at)
	}
	r.Press("L")
	r.Reply("offsets of the third quarter")
	r.LineHas("  00mnothing01", "NOTHING TO PROCESS", "offsets of the third quarter  ")
	r.Press("C")
	for _, column := range r.tab.panes.ledger.Table.Columns() {
		if column.Title == "" {
			continue
		}
		if column.Hidden {
			r.Panel.Press(uitest.Stroke("space"))
		}
		r.Panel.Press(uitest.Stroke("down"))
	}
	if at := rule(); at > widestLedger+2 {
		t.Errorf("the ledger takes %d columns", at)
	}
}

func TestFailedLookUpIsMarked(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste("00maway0001 00mgone0001 00mopen0001")
	r.answered(
		uitest.Answer{ID: "00maway0001", Err: &api.Error{Kind: api.Unreachable}},
		uitest.Answer{ID: "00mgone0001", Err: &api.Error{Kind: api.NotFound}},
		uitest.Answer{ID: "00mopen0001", Retirement: uitest.Retirement("00mopen0001", retirement.Open), At: r.Now, Err: &api.Error{Kind: api.TimedOut}},
	)
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 41}} {
		r.Text = func() string { return ansi.Strip(r.FrameAt(size[0], size[1])) }
		for id, want := range map[string][2]string{"00maway0001 ": {"⚠ ", "not reached"}, "00mopen0001 ": {"⚠ ", "not reached"}, "00mgone0001 ": {"✗ ", ""}} {
			r.LineHas("  "+id, want[0], want[1])
		}
	}
	r.SeesNot("✗  00maway0001")
}

func TestLedgerIsSearchedAndSorted(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	crowd(r)
	for query, want := range map[string]string{
		"nothing": "00m000000000000004", "closed": "00m000000000000002", "notthere": "00mnotthere0000000", "00000003": "00m000000000000003",
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
	r.Press("s", "s")
	r.Sees("REQUEST ▼")
	r.Press("C")
	if _, lines := r.Panel.Size(100, 100); lines < 6+1 {
		t.Errorf("%d columns", lines-1)
	}
}

func TestManyAnswersAreShownAtOnce(t *testing.T) {
	t.Parallel()
	const many = 1000
	r := newRobot(t, Options{})
	ids := make([]string, many)
	for i := range ids {
		ids[i] = fmt.Sprintf("00m%015d", i)
	}
	r.Run(r.tab.add(importer.Found(ids)))
	r.listen()
	if got := r.tab.Info().Status; got != "looked up 0 of 1,000" {
		t.Errorf("the status is %q", got)
	}
	var news []uitest.Answer
	for i, id := range ids {
		e := uitest.Answer{ID: id, Retirement: uitest.Retirement(id, retirement.Complete), At: r.Now}
		if i%100 == 0 {
			e = uitest.Answer{ID: id, Err: &api.Error{Kind: api.NotFound}}
		}
		news = append(news, e)
	}
	r.answered(news...)
	r.hears("Looked up 1,000 requests, 10 not found.")
	if first := r.feed.Requests()[many-1].ID; first != ids[0] {
		t.Errorf("first is %s, want %s", first, ids[0])
	}
}

func TestHintsAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	ready := false
	r := newRobot(t, Options{Hints: func() []session.Entry {
		if !ready {
			return nil
		}
		return []session.Entry{{ID: "00mhint0001", Label: "complete"}, {ID: "00mhint0002", Label: "open"}}
	}})
	r.Sees("The ledger is empty")
	ready = true
	r.Hear(session.MarketEvent{})
	r.enters()
	r.Sees("00mhint0001", "complete", "00mhint0002", "open")
	if n := r.asked("add 00mhint0001 complete"); n != 1 {
		t.Errorf("looked up %d times", n)
	}
}

func TestStatusCountsDown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(sampleID)
	r.answered(uitest.Answer{ID: sampleID, Retirement: request(retirement.Open), At: r.Now, NextAt: r.Now.Add(2500 * time.Millisecond)})
	for _, want := range []string{"tracking 1 · next look-up in 3s", "tracking 1 · next look-up in 2s", "tracking 1 · next look-up in 1s", "tracking 1"} {
		if got := r.tab.Info().Status; got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
		next, any := r.tab.Expire(r.Now)
		if any {
			r.Now = next
		}
	}
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("a timer runs without a change")
	}
}

func TestYCopiesIDAndShiftYCopiesRow(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{})
	r.Press("y", "Y")
	r.tab.panes.ledger.Table.Show("vintageid", true)
	r.Press("Y")
	r.binding("retirement.copycell")
	if len(r.Copied) != 4 || r.Copied[0] != sampleID || !strings.Contains(r.Copied[1], "\t"+sampleID+"\t") || strings.Contains(r.Copied[1], "004") ||
		!strings.Contains(r.Copied[2], "\t004") || r.Copied[3] != sampleID {
		t.Errorf("copied %q", r.Copied)
	}
}

func TestSortKeySortsEachColumn(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	crowd(r)
	r.Text = func() string { return ansi.Strip(r.FrameAt(200, 50)) }
	r.Text()
	for _, step := range []struct {
		keys   []string
		column string
	}{
		{[]string{"s"}, "REQUEST ▲"}, {[]string{"right", "s"}, "STATE ▲"}, {[]string{"s"}, "STATE ▼"},
		{[]string{"right", "s"}, "LABEL ▲"}, {[]string{"l", "s"}, "QUANTITY ▲"},
	} {
		r.Press(step.keys...)
		r.Sees(step.column)
	}
}
