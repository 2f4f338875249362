package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	livemarket "tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/market"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Past reads the markets that were recorded. Its methods may block.
type Past interface {
	// At returns the market of the last read that ended at or before a time, and the time of the read.
	At(ctx context.Context, at time.Time) (m *livemarket.Market, read time.Time, err error)
	// Change returns the time of the first read after another time in which the orders of a vintage
	// changed, or of the last one before it. It is zero if there is none.
	Change(ctx context.Context, of model.VintageKey, at time.Time, back bool) (time.Time, error)
}

// recordedTab is the index of the tab with a recorded market. It is not one of Tabs, and nil before its
// first use.
const recordedTab = len(Tabs)

// replay shows recorded markets in a second Market tab. The live one keeps receiving events.
type replay struct {
	app  *App
	tab  *market.Tab
	view *tab.View
	// asked is the time that was requested, and read the end of the read that is shown.
	asked, read time.Time
	generation  uint64
	// requests counts the requests, so that only the result of the last one is shown.
	requests int
	// selected is the vintage to select next, or zero.
	selected model.VintageKey
	// pending are commands for a tab other than the one whose key began the work.
	pending []tea.Cmd
}

// run runs the effects of a tab after the present message.
func (r *replay) run(tab int, e effect.Effect) { r.pending = append(r.pending, r.app.run(tab, e)) }

// take returns what run has collected.
func (r *replay) take() tea.Cmd {
	all := r.pending
	r.pending = nil
	return tea.Batch(all...)
}

// kind returns the index in Tabs of the active tab.
func (r *replay) kind() int {
	if r.Recorded() {
		return 0
	}
	return r.app.active
}

// Recorded reports whether a recorded market is on the screen.
func (r *replay) Recorded() bool { return r.app.active == recordedTab }

// Why returns why no recorded market can be shown, or "".
func (r *replay) Why() string {
	if r.app.o.Past == nil {
		return "This session records no markets."
	}
	return ""
}

// Ask prompts for a time.
func (r *replay) Ask() effect.Effect {
	return tab.Prompt{
		Title: "Show the market of", Hint: "2026-11-20 14:02, or 14:02 today, in " + r.zone(),
		Enter: func(typed string) (effect.Effect, string) {
			at, ok := r.parse(typed)
			if !ok {
				return nil, "Enter a time such as 2026-11-20 14:02, or 14:02."
			}
			return r.At(at), ""
		},
	}.Ask()
}

func (r *replay) zone() string { return r.app.o.Now().In(r.app.o.Location).Format("MST") }

func (r *replay) parse(typed string) (time.Time, bool) {
	if at, ok := model.ParseMoment(typed, r.app.o.Location); ok {
		return at, true
	}
	today := r.app.o.Now().In(r.app.o.Location).Format(time.DateOnly)
	return model.ParseMoment(today+" "+typed, r.app.o.Location)
}

// from is the time from which Hour and Change count.
func (r *replay) from() time.Time {
	if r.Recorded() {
		return r.asked
	}
	return r.app.o.Now()
}

// Hour shows the market some hours later, or earlier if by is negative.
func (r *replay) Hour(by int) effect.Effect {
	at := r.from().Add(time.Duration(by) * time.Hour)
	if at.After(r.app.o.Now()) {
		return r.Leave()
	}
	return r.At(at)
}

// Change shows the next or the previous market in which the orders of a vintage changed.
func (r *replay) Change(of model.VintageKey, back bool) effect.Effect {
	from := r.from()
	if r.Recorded() && back {
		from = r.read
	}
	name := r.app.view.Label(of)
	return r.look(func(ctx context.Context) (time.Time, error) {
		at, err := r.app.o.Past.Change(ctx, of, from, back)
		if err == nil && at.IsZero() {
			err = errors.New(name + " has no recorded change " + map[bool]string{true: "before", false: "after"}[back])
		}
		return at, err
	})
}

// of shows the market of a time with a vintage selected.
func (r *replay) of(key model.VintageKey, at time.Time) effect.Effect {
	r.selected = key
	return r.At(at)
}

// At shows the market of a time.
func (r *replay) At(at time.Time) effect.Effect {
	return r.look(func(context.Context) (time.Time, error) { return at, nil })
}

func (r *replay) look(find func(context.Context) (time.Time, error)) effect.Effect {
	r.requests++
	number := r.requests
	return effect.Work(func(ctx context.Context) any {
		at, err := find(ctx)
		var m *livemarket.Market
		var read time.Time
		if err == nil {
			m, read, err = r.app.o.Past.At(ctx, at.In(r.app.o.Location))
		}
		return effect.Then(func() effect.Effect {
			switch {
			case number != r.requests:
				return nil
			case err != nil:
				return effect.Warn(tab.Sentence(err))
			}
			r.show(m, at, read)
			return nil
		})
	})
}

func (r *replay) show(m *livemarket.Market, at, read time.Time) {
	before, _ := r.app.tabs[r.kind()].(*market.Tab)
	if r.Recorded() {
		before = r.tab
	}
	if r.tab == nil {
		view := *r.app.view
		view.Now = func() time.Time { return r.read }
		r.view = &view
		r.tab = market.New(r.view, frozen{r.app.o.Feed}, r.app.o.Safe)
		r.tab.Past, r.app.tabs[recordedTab] = r, r.tab
	}
	r.asked, r.read = at, read
	r.generation++
	r.view.Retire, r.view.Recorded = nil, tab.Recorded{At: read, Live: r.app.view.Market.At}
	r.view.Projects = r.app.view.Projects
	e := session.MarketEvent{Status: session.Status{State: session.Live, At: read}, Market: m, Generation: r.generation}
	r.run(recordedTab, effect.Batch(r.hear(session.ProjectsEvent{Projects: r.view.Projects}), r.hear(e),
		r.hear(r.app.view.Book)))
	if r.app.active != recordedTab {
		r.app.tabs[r.app.active].Handle(tab.Hidden{})
		r.app.active = recordedTab
		r.run(recordedTab, r.tab.Handle(tab.Shown{}))
		if before != nil {
			r.run(recordedTab, r.tab.Follow(before))
		}
	}
	if r.selected != (model.VintageKey{}) {
		r.run(recordedTab, r.tab.Select(r.selected))
		r.selected = model.VintageKey{}
	}
}

// hear gives the tab an event of the live session, as it was at the recorded time. It ignores events that are
// only about now.
func (r *replay) hear(e session.Event) effect.Effect {
	switch now := e.(type) {
	case session.MarketEvent:
		if now.At != r.read {
			r.view.Recorded.Live = now.At
			return nil
		}
	case session.PortfolioEvent:
		e = r.until(now)
	case session.ProjectsEvent, session.PricesEvent, session.AnnotationsEvent, session.ChoicesEvent:
	default:
		return nil
	}
	r.view.Receive(e)
	return r.tab.Handle(e)
}

// until returns the last paid prices of the recorded time. What was held then is unknown.
func (r *replay) until(book session.PortfolioEvent) session.PortfolioEvent {
	past := session.PortfolioEvent{Status: book.Status}
	if book.Positions != nil && !book.Partial {
		then := book.Positions.Inventory().Until(r.asked)
		past.LastPaid, past.Positions = then.LastPaid(), portfolio.NewPositions(then, then)
	}
	return past
}

// Leave returns to the live market.
func (r *replay) Leave() effect.Effect {
	r.requests++
	if !r.Recorded() {
		return nil
	}
	r.run(0, r.app.show(0))
	return nil
}

// sync takes over what the user chose for all tabs.
func (r *replay) sync() {
	if r.view != nil {
		live := r.app.view
		r.view.Theme, r.view.InGrams, r.view.KeyHeld = live.Theme, live.InGrams, live.KeyHeld
	}
}

// banner says that the screen shows a recorded market.
func (r *replay) banner(line *style.Line) {
	const live = " · Esc live "
	before := tab.Number(int64(r.asked.Sub(r.read)/time.Second)) + " s before"
	text := " RECORDED " + r.asked.In(r.app.o.Location).Format("2 Jan 2006 15:04:05 MST") + " · read "
	if style.Width(text+before+live) > line.Room() {
		text = strings.TrimSuffix(text, "read ")
	}
	text += before
	line.Put(style.Recorded, style.Clip(text, max(line.Room()-style.Width(live), 0))+live)
	line.Put(style.Recorded, strings.Repeat(" ", line.Room()))
}

// commands are the commands of the palette that show a recorded market.
func (r *replay) commands(typed string) []keymap.Binding {
	at := keymap.Command{Name: "at", Usage: "TIME", Help: "show the recorded market of a time",
		Complete: func(typed string) []keymap.Binding {
			return []keymap.Binding{{Action: "at " + typed, Help: "at " + typed + " · show the recorded market",
				Why: func() string {
					if _, ok := r.parse(typed); !ok {
						return "Enter a time such as 2026-11-20 14:02, or 14:02."
					}
					return r.Why()
				}, Do: func() effect.Effect {
					at, _ := r.parse(typed)
					return r.At(at)
				}}}
		}}
	return at.For(typed)
}

// frozen is the session of a recorded market: it reads the prices, and changes nothing.
type frozen struct{ market.Session }

func (f frozen) Record()               {}
func (f frozen) ShowProjects([]string) {}
func (f frozen) Choose(string, string) {}
func (f frozen) SeeAlerts(int64, bool) {}
