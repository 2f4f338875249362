package ui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// Fires lets a rule fire.
func (r *robot) Fires() {
	r.hear(session.AlertsEvent{Fired: []store.Alert{{
		Rule:  alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.AtMost, Price: 600},
		Facts: alert.Facts{BestAsk: 590}, At: r.now,
	}}})
}

// whatFired returns a history of n unseen alerts.
func whatFired(n int) session.AlertsEvent {
	var fired []store.Alert
	for i := range n {
		fired = append(fired, store.Alert{
			Rule:  alert.Rule{Vintage: uitest.Key("003bale", 0), Compare: alert.Below, Price: 700},
			ID:    int64(n - i),
			At:    uitest.Now,
			Facts: alert.Facts{BestAsk: 620},
			Was:   alert.Facts{BestAsk: model.UnknownPrice},
		})
	}
	return session.AlertsEvent{Alerts: fired}
}

// Worth is the value of a large portfolio, or what is known of it.
func (r *robot) Worth(kind string) {
	e, book := uitest.BookValue(), uitest.Book()
	e.Value.Value, e.Value.OverCost, e.Value.Today = 18_422_049, 311_400, 41_180
	switch kind {
	case "without cost and day":
		e.Value.Moved, e.Value.Compared = 0, 0
	case "below its cost":
		e.Value.OverCost, e.Value.Today = -311_400, 0
	case "stale":
		book.Status = session.Status{State: session.Stale, At: uitest.Now, Err: errors.New("connection refused")}
		r.hear(e)
	case "in part", "incomplete":
		book.Partial, book.Status = true, session.Status{Fetching: true, Done: 3, Total: 7}
		if kind == "incomplete" {
			book.Err = &api.Error{Kind: api.Incomplete, Read: 3, Total: 5}
		}
		r.hear(book)
		return
	case "unreadable":
		e = session.PortfolioValueEvent{Err: model.ErrUnknown}
	case "overflow":
		e = session.PortfolioValueEvent{Err: model.ErrOverflow}
	}
	r.hear(book, e)
}

// FiresWithoutNewKeys lets a rule fire, which changes no key in the footer.
func (r *robot) FiresWithoutNewKeys() {
	footer := r.hints()
	r.Fires()
	r.Equal("footer", r.hints(), footer)
}

// Header checks the texts of the header.
func (r *robot) Header(texts ...string) {
	head := strings.Join(strings.Split(r.Text(), "\n")[:headerLines], "\n")
	for _, text := range texts {
		must.Hold(r.T, strings.Contains(head, text), text, head)
	}
}

// AtWidths checks texts of the header at several widths of the terminal.
func (r *robot) AtWidths(texts ...string) {
	for _, width := range []int{60, 80, 100, 120, 160, 200} {
		r.FrameAt(width, 24)
		r.Header(texts...)
	}
}

// LabelAt checks where a label of the header begins.
func (r *robot) LabelAt(label string, x int) {
	before, _, _ := strings.Cut(r.Text(), label)
	r.Equal("column of "+label, style.Width(before), x)
}

// The change of the day matters more than the comparison with cost.
func TestPortfolioValueDropsCostBeforeDayChange(t *testing.T) {
	t.Parallel()
	r := settled(t, 80, 24)
	r.Worth("whole")
	for room, want := range map[int]string{60: "book $184,220  vs cost ▲ +$3,114  today ▲ +$412",
		46: "book $184,220  today ▲ +$412", 20: "book $184,220", 5: ""} {
		must.Equal(t, r.app.header().bookWorth(room).String(), want, room)
	}
}

func TestHeaderNamesModeAndProduction(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {240, 70}} {
		for _, production := range []bool{false, true} {
			with := func(o *Options) { o.Alarm = production }
			readOnly := newRobotWith(t, size[0], size[1], with)
			may, _ := retiring(t, size[0], size[1], with)
			for mode, r := range map[string]*robot{"NO RETIRING": readOnly, "CAN RETIRE": may} {
				r.settle()
				uitest.Exact(t, r.frame(), size[0], size[1])
				// Production is a word and a colour, which is also that of the right to retire.
				coloured := strings.Contains(r.frame(), "201;16;0") || strings.Contains(r.frame(), "240;136;62")
				must.Hold(t, strings.Contains(r.Text(), "PRODUCTION") == production && coloured == (production ||
					mode == "CAN RETIRE"),
					mode, size, production, coloured, r.Text())
				before, after, found := strings.Cut(strings.Split(r.Text(), "\n")[1], " "+mode+" ")
				must.Hold(t, found && before == "" && (production ||
					!strings.Contains(strings.TrimRight(strings.TrimLeft(after, " "), "─"), "─")),
					mode, size, after)
			}
		}
		r := newRobotWith(t, size[0], size[1], func(o *Options) { o.Label, o.Alarm = "production", true })
		must.Equal(t, strings.Count(strings.ToUpper(r.Text()), "PRODUCTION"), 1, size)
		newRobotWith(t, size[0], size[1],
			func(o *Options) { o.Host, o.Label = "demo", "synthetic data" }).Sees("synthetic data")
	}
}

func (r *robot) hints() string {
	lines := strings.Split(r.Text(), "\n")
	return lines[len(lines)-1]
}

func TestFooterDropsWholeCounts(t *testing.T) {
	t.Parallel()
	status := tab.Parts{}.Say("page 1/7", "1–10 of 67", "trades: BUY", "non-empty wallets", "", "51 projects")
	for width, want := range map[int]string{160: status.String(), 100: "page 1/7 · 1–10 of 67 · trades: BUY",
		80: "page 1/7 · 1–10 of 67 · trades: BUY", 60: "page 1/7 · 1–10 of 67"} {
		r := settled(t, width, 24)
		r.ShowInventory()
		r.app.infos[1].Status = status
		_, footer, _ := strings.Cut(ansi.Strip(r.app.drawFooter()), "\n")
		said, _, _ := strings.Cut(strings.TrimSpace(footer), "  ")
		must.Equal(t, said, want, width)
	}
	for room, want := range map[int]string{
		51: "1–9 of 51 · 51 projects · ⚠ 2 values not readable", 50: "1–9 of 51 · 51 projects · ⚠ 2 values not readable",
		48: "1–9 of 51 · ⚠ 2 values not readable",
		34: "1–9 of 51", 3: "1–9 of 51",
	} {
		must.Equal(t, tab.Parts{}.Say("1–9 of 51", "51 projects").Warn("2 values not readable").Fit(room), want, room)
	}
}
