package ui

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/uitest"
)

// counter counts the bytes written to a terminal.
type counter struct{ bytes atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// quiet is a feed without events.
type quiet struct{ *uitest.Feed }

func (quiet) Next(ctx context.Context) ([]session.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

type drawn struct {
	*tea.Program
	counter counter
}

// draw runs a robot's dashboard on a terminal with 256 colours.
func draw(b *testing.B, r *robot, width, height int) *drawn {
	d := new(drawn)
	r.app.o.Feed = quiet{r.feed}
	d.Program = tea.NewProgram(r.app, tea.WithInput(nil), tea.WithOutput(&d.counter), tea.WithWindowSize(width, height),
		tea.WithColorProfile(colorprofile.ANSI256), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithFPS(120), tea.WithoutSignalHandler())
	done := make(chan error, 1)
	go func() {
		_, err := d.Run()
		done <- err
	}()
	b.Cleanup(func() {
		d.Quit()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return d
}

// writes returns the number of bytes written after a message until the screen is stable.
func (d *drawn) writes(msg tea.Msg) float64 {
	before := d.counter.bytes.Load()
	d.Send(msg)
	for last := int64(-1); last != d.counter.bytes.Load(); {
		last = d.counter.bytes.Load()
		time.Sleep(40 * time.Millisecond)
	}
	return float64(d.counter.bytes.Load() - before)
}

// shelf returns a market of twelve projects with one ask each. The sixth ask costs more by the
// given cents.
func shelf(more model.PriceCents) *market.Market {
	var part market.Page
	for n := range 12 {
		id := fmt.Sprintf("00%d", n)
		price := model.PriceCents(620 + 10*n)
		if n == 5 {
			price += more
		}
		part.AddProject("3" + id)
		part.AddVintage("4"+id, 2019)
		part.AddOrder("6"+id, 400*model.GramsPerTonne, price)
	}
	return market.New(&part)
}

// BenchmarkChangedPriceBytes measures the output for a changed price and for the end of its mark.
func BenchmarkChangedPriceBytes(b *testing.B) {
	r := newRobot(b, 120, 36)
	markets := [2]*market.Market{shelf(0), shelf(10)}
	r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 1, Market: markets[0]})
	d := draw(b, r, 120, 36)
	d.writes(tea.WindowSizeMsg{Width: 120, Height: 36})
	var marked, gone float64
	n := 0
	for b.Loop() {
		before, now := markets[n%2], markets[(n+1)%2]
		n++
		marked += d.writes(feedEvents{events: []session.Event{session.MarketEvent{
			Status: uitest.Live(), Generation: uint64(n + 1), Market: now, Changes: now.Since(before),
		}}})
		r.now = r.now.Add(2 * time.Second)
		gone += d.writes(tick{r.now})
	}
	b.ReportMetric(marked/float64(n), "B/price")
	b.ReportMetric(gone/float64(n), "B/end-of-mark")
	b.ReportMetric(0, "ns/op")
}
