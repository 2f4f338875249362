package retirement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/uitest"
)

func TestHeaderShowsHealthOfSelectedRequest(t *testing.T) {
	t.Parallel()
	away, unknown, key := &api.Error{Kind: api.Unreachable}, &api.Error{Kind: api.NotFound},
		&api.Error{Kind: api.Unauthorized}
	pending, final := request(retirement.Open), request(retirement.Complete)
	at, later := uitest.Now.Add(-time.Minute), uitest.Now.Add(time.Minute)
	live, market := uitest.Live(), session.Status{State: session.Stale, Err: away}
	for name, c := range map[string]struct {
		market session.Status
		news   uitest.Answer
		want   session.Status
	}{
		"live although the market is stale": {market, uitest.Answer{Retirement: pending, At: at, NextAt: later},
			session.Status{State: session.Live, At: at}},
		"stale though the market is live": {
			live, uitest.Answer{Retirement: pending, At: at, Err: away, NextAt: later},
			session.Status{State: session.Stale, At: at, Err: away, RetryAt: later},
		},
		"loading": {live, uitest.Answer{Fetching: true}, session.Status{State: session.Loading, Fetching: true}},
		"not reached at all": {live, uitest.Answer{Err: away, NextAt: later},
			session.Status{State: session.Loading, Err: away, RetryAt: later}},
		"not found": {live, uitest.Answer{Err: unknown}, session.Status{State: session.Loading, Err: unknown}},
		"refused": {live, uitest.Answer{Retirement: pending, At: at, Err: key},
			session.Status{State: session.Refused, At: at, Err: key}},
		"polling is paused": {session.Status{State: session.Paused}, uitest.Answer{Retirement: pending, At: at},
			session.Status{State: session.Paused, At: at}},
		"final while paused": {session.Status{State: session.Paused}, uitest.Answer{Retirement: final, At: at},
			session.Status{State: session.Live, At: at}},
		"the key was refused": {session.Status{State: session.Refused, Err: key}, uitest.Answer{Retirement: pending, At: at},
			session.Status{State: session.Refused, At: at, Err: key}},
	} {
		r := newRobot(t, Options{})
		r.Hear(session.MarketEvent{Status: c.market})
		must.Equal(t, r.tab.Info().Health, c.market, name)
		r.Pastes(sampleID)
		c.news.ID = sampleID
		r.answered(c.news)
		must.Equal(t, r.tab.Info().Health, c.want, name)
	}
}

func TestWideTerminalShowsUncutLedger(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{}).with(uitest.Retirement("00mnothing01", retirement.NothingToProcess))
	r.Text = func() string { return ansi.Strip(r.FrameAt(200, 50)) }
	rule := func() int { return strings.Index(r.Line("LOOK UP"), "│") }
	at := rule()
	must.Hold(t, at <= 70, "the ledger takes", at)
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
	r.Shown()
	r.Sees("00mhint0001", "complete", "00mhint0002", "open")
	r.Calls("add 00mhint0001 complete", 1)
}

func TestStatusCountsDown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Pastes(sampleID)
	r.answered(uitest.Answer{ID: sampleID, Retirement: request(retirement.Open), At: r.Now,
		NextAt: r.Now.Add(2500 * time.Millisecond)})
	for _, want := range []string{"tracking 1 · next look-up in 3s", "tracking 1 · next look-up in 2s",
		"tracking 1 · next look-up in 1s", "tracking 1"} {
		r.Status(want)
		if next, any := r.tab.Expire(r.Now); any {
			r.Now = next
		}
	}
	_, any := r.tab.Expire(r.Now)
	must.Hold(t, !any, "a timer runs without a change")
}

func TestEveryCheckHasATitle(t *testing.T) {
	t.Parallel()
	for _, c := range (audit.Request{}).AllChecks() {
		title := ledger.CheckTitle(c.Name)
		must.Hold(t, title != "" && !strings.Contains(title, "_"), "title of", c.Name, title)
	}
	must.Equal(t, ledger.CheckTitle("other"), "other", "title of an unknown check")
}

// This test counts allocations, so it does not run in parallel.
func TestFindingsAreNotComputedWhileDrawing(t *testing.T) {
	ranges := func(id string, count int) *retirement.Request {
		a := &retirement.Request{ID: id, Status: retirement.Complete}
		for i := range count {
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", i*100, i*100+99))
		}
		return a
	}
	r := newRobot(t, Options{}).with(ranges("00mfew00001", 1), ranges("00mmany0001", 2000))
	l := r.tab.panes.ledger
	var found []retirement.Check
	count := func(id string) float64 {
		row, _ := l.Find(id)
		return testing.AllocsPerRun(10, func() { found = l.Findings(row) })
	}
	few, many := count("00mfew00001"), count("00mmany0001")
	must.Hold(t, many <= few, "the findings of 2000 ranges take", many, few)
	at := slices.IndexFunc(found, func(c retirement.Check) bool { return c.Name == audit.SerialsRetiredOnce })
	must.Equal(t, found[at].Result, retirement.Fail, "found", found)
}

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

func TestLongPasteIsParsedInBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	read := r.CarryOut(r.tab.Input(tea.PasteMsg{Content: strings.Repeat(idA+"\n"+idB+"\n"+idC+"\n", 2000) +
		"00m000000000000004"}))
	must.Hold(t, r.Panel == nil && len(r.feed.Requests()) == 0, "the text was parsed in the foreground")
	r.Run(read)
	must.Hold(t, r.asked("add "+idA) == 1 && r.asked("add 00m000000000000004") == 1, "calls", r.feed.Asked)
}

// Batch fills the ledger with a batch of three requests and two other requests.
func (r *robot) Batch() {
	r.Pastes(idA + " 00mbatch0000000001 00mbatch0000000002 00mbatch0000000003 " + idB)
	r.found(uitest.Retirement(idA, retirement.Complete), uitest.Retirement("00mbatch0000000003", retirement.Closed))
	journal := make(map[string]retirement.Journaled)
	for n := range 3 {
		if n < 2 {
			answer := uitest.Retirement(fmt.Sprintf("00mbatch000000000%d", n+1), retirement.Complete)
			answer.SerialNumbers = []string{fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", 1+n*20_000,
				n*20_000+15_000)}
			answer.Items = answer.Items[:1]
			answer.Items[0].Quantity = answer.TotalQuantity
			r.found(answer)
		}
		journal[fmt.Sprintf("00mbatch000000000%d", n+1)] = retirement.Journaled{References: []string{fmt.Sprintf("Q4/%d", n)},
			Batch: "q4.csv"}
	}
	journal[idA] = retirement.Journaled{Batch: "alone.csv"}
	r.Hear(session.AnnotationsEvent{Journal: journal})
}

func TestBatchStaysTogetherWhenSorted(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Batch()
	r.Press("g", "g", "j", "enter")
	for _, column := range []string{"id", "state", "label", "quantity"} {
		for _, descending := range []bool{false, true} {
			r.tab.panes.ledger.Table.Sort(column, descending)
			var keys []string
			for key := range r.tab.panes.ledger.Table.Rows() {
				keys = append(keys, key)
			}
			at := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(key, "batch") })
			must.Hold(t, len(keys) == 6 && at <= 2 &&
				!slices.ContainsFunc(keys[at+1:at+4], func(key string) bool { return !strings.HasPrefix(key, "00mbatch") }),
				column, descending, keys)
		}
	}
}

// TwoOwners fills the ledger with requests of two customers.
func (r *robot) TwoOwners() {
	r.Pastes(idA + " " + idB + " " + idC)
	first := uitest.Retirement(idA, retirement.Complete)
	second := uitest.Retirement(idB, retirement.Complete)
	second.SerialNumbers = []string{"ACR-FR-1129-2025-2917-30932 to 35143"}
	second.Items = []retirement.Item{{ID: "00p0009", Quantity: second.TotalQuantity, RetireeName: "Someone Else GmbH",
		RetireeTaxID: "DE 811 907 980", InvoiceID: "00i0009", TradeID: "00g0009"}}
	second.ProjectID, second.VintageID = "003cabo", uitest.Key("003cabo", 0).VintageID
	r.found(first, second, uitest.Retirement(idC, retirement.Closed))
}

func (r *robot) shownIDs() (ids []string) {
	for row := range r.tab.panes.ledger.Shown() {
		ids = append(ids, row.ID)
	}
	return ids
}

func TestIndexIsBuiltInBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	work := r.CarryOut(r.tab.Handle(session.LedgerEvent{Requests: []*session.Request{
		{ID: idA, Answer: uitest.Retirement(idA, retirement.Complete)}, {ID: idB},
	}}))
	r.Robot.Press("/")
	r.typed("940090000")
	got := r.shownIDs()
	must.Equal(t, len(got), 0, "without the index: shown", got)
	r.Run(work)
	must.Equal(t, r.shownIDs(), []string{idA}, "with the index: shown")
}
