package ui

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// counter counts the bytes written to a terminal.
type counter struct{ bytes atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// asks returns a market of twelve projects with an ask each.
func asks(sixth model.PriceCents) *market.Market {
	var part market.Page
	for n := range 12 {
		id, price := fmt.Sprintf("00%d", n), model.PriceCents(620+10*n)
		if n == 5 {
			price = sixth
		}
		part.AddProject("3" + id)
		part.AddVintage("4"+id, 2019)
		part.AddOrder("6"+id, 400*model.GramsPerTonne, price)
	}
	return market.New(&part)
}

// BenchmarkChangedPrice counts the bytes of a changed price, and of the end of its mark.
func BenchmarkChangedPrice(b *testing.B) {
	r, markets := newRobot(b, 120, 36), [2]*market.Market{asks(670), asks(680)}
	r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: markets[0]})
	r.app.o.Feed = idleFeed{r.feed}
	var out counter
	p := tea.NewProgram(r.app, tea.WithInput(nil), tea.WithOutput(&out), tea.WithWindowSize(120, 36), tea.WithFPS(120),
		tea.WithColorProfile(colorprofile.ANSI256), tea.WithEnvironment([]string{"TERM=xterm-256color"}),
		tea.WithoutSignalHandler())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	bytesAfter := func(msg tea.Msg) float64 {
		before := out.bytes.Load()
		p.Send(msg)
		for last := int64(-1); last != out.bytes.Load(); time.Sleep(40 * time.Millisecond) {
			last = out.bytes.Load()
		}
		return float64(out.bytes.Load() - before)
	}
	for out.bytes.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	bytesAfter(tea.WindowSizeMsg{Width: 120, Height: 36})
	changed, unmarked := 0.0, 0.0
	for n := 1; b.Loop(); n++ {
		next := session.MarketEvent{Status: uitest.Live(), Generation: uint64(n + 1), Market: markets[n%2]}
		next.Changes = next.Market.Since(markets[(n+1)%2])
		changed += bytesAfter(feedEvents{events: []session.Event{next}})
		r.now = r.now.Add(2 * time.Second)
		unmarked += bytesAfter(tick{r.now})
	}
	p.Quit()
	must.Succeed(b, <-ended)
	b.ReportMetric(changed/float64(b.N), "B/price")
	b.ReportMetric(unmarked/float64(b.N), "B/end-of-mark")
	b.ReportMetric(0, "ns/op")
}
