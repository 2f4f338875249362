package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui/effect"
	"tonne/ui/suspend"
	"tonne/ui/uitest"
)

// actions are those of the scripts.
var actions = uitest.Actions{
	// What the user and the terminal do.
	"keyed": func(r *robot, keys string) { r.types(strings.Fields(keys)...) },
	// Presses keys before the commands of the first one have run.
	"pressesAtOnce": func(r *robot, keys ...string) {
		for _, key := range keys {
			_, _ = r.app.Update(uitest.Stroke(key))
		}
	},
	"pasted":  func(r *robot, text string) { pasted(text)(r) },
	"clicked": func(r *robot, x, y int) { clicked(x, y)(r) },
	"clicksTab": func(r *robot, name string) {
		clicked(strings.Index(strings.ReplaceAll(r.Text(), "◆", "x"), name), 0)(r)
	},
	"resized": func(r *robot, width, height int) { r.send(tea.WindowSizeMsg{Width: width, Height: height}) },
	"blurs":   func(r *robot) { r.send(tea.BlurMsg{}); r.send(tea.FocusMsg{}) },
	"clock":   func(r *robot, d time.Duration) { r.now = r.now.Add(d) },
	"who":     func(r *robot, name string) { r.app.o.Who, r.app.o.Remote.ID = name, name },
	"guest":   func(r *robot) { r.app.view.Fleeting = true },
	"keyFrom": func(r *robot, name string) { r.app.o.KeyFrom = name },
	"unsafe": func(r *robot, why string) {
		r.app.o.Safe = func(string) (string, error) { return "", errors.New(why) }
	},
	"opensWithoutBrowser": func(r *robot, url string) {
		r.app.o.Safe = func(string) (string, error) { return "registry.example", nil }
		r.app.o.Browse = func(context.Context, string) error { return errors.New("exit status 3") }
		r.send(result{value: effect.Open{URL: url}})
	},
	"notice": func(r *robot, text string) {
		r.send(Notice{Text: text, Until: r.now.Add(time.Minute), Holds: func() bool { return r.app.o.KeyFrom == "" }})
		r.now = r.now.Add(30 * time.Second)
		r.send(tick{})
	},
	"noticeEnds": func(r *robot) { r.app.o.KeyFrom = "elsewhere"; r.send(tick{}) },
	"terminalLost": func(r *robot, why string) {
		r.send(suspend.Back{})
		r.send(suspend.Back{Stayed: true, Err: errors.New(why)})
	},

	// What the session does.
	"named":     func(r *robot, label string) { r.app.o.Label = label },
	"whatFired": func(r *robot, n int) { r.hear(whatFired(n)) },
	"watches": func(r *robot) {
		r.hear(session.WatchlistEvent{Watchlist: session.Watchlist{Watched: map[model.VintageKey]bool{uitest.Key("003bale",
			0): true}}})
	},
	"longName":   func(r *robot) { r.hear(longName()) },
	"oneDeep":    func(r *robot) { r.hear(oneDeep()) },
	"atDesk":     func(r *robot, names ...string) { r.hear(atDesk(names...)) },
	"manyPeople": func(r *robot) { r.hear(manyPeople()) },
	"paused":     func(r *robot) { r.status(session.Status{State: session.Paused, At: uitest.Now}) },
	"keyRefused": func(r *robot) { r.status(session.Status{State: session.Refused, Err: errors.New("key not accepted")}) },
	"waitsForService": func(r *robot) {
		r.status(session.Status{State: session.Stale, At: uitest.Now, Err: errors.New("too many requests"),
			RetryAt: uitest.Now.Add(42 * time.Minute), Asked: true})
	},
	"feedFails":     func(r *robot, why string) { r.send(feedEvents{err: errors.New(why)}) },
	"storeUnusable": func(r *robot, why string) { r.hear(session.StoreEvent{Problem: errors.New(why)}) },
	"choiceNotSaved": func(r *robot, why string) {
		r.hear(session.StoreEvent{Failed: []session.WriteError{{Subject: session.ChoiceWrites, Err: errors.New(why)}}})
	},
	"choices": func(r *robot, pair ...string) {
		e := session.ChoicesEvent{Choices: map[string]string{}}
		if len(pair) > 0 {
			e.Choices[pair[0]] = pair[1]
		}
		r.hear(e)
	},

	"lookedUp": func(r *robot, ago time.Duration) {
		r.answered(uitest.Answer{ID: "00mcomplete", Retirement: uitest.Retirement("00mcomplete", retirement.Complete),
			At: r.now.Add(-ago)})
	},
	"lookUpFails": func(r *robot, why string) {
		kinds := map[string]api.Kind{"not found": api.NotFound, "invalid": api.Invalid, "unreachable": api.Unreachable}
		r.answered(uitest.Answer{ID: "00mcomplete", Err: &api.Error{Kind: kinds[why]}})
	},
	"changes": func(r *robot) {
		now := uitest.Market(10)
		r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(uitest.Market(0))})
	},
	"warn":   func(r *robot, text string) { r.app.warn(text) },
	"say":    func(r *robot, text string) { r.app.say(text) },
	"redraw": func(r *robot) { r.send(nil) },
	"ticks":  func(r *robot) { r.send(tick{r.app.clock}) },
	// Messages expire.
	"forget": func(r *robot) { r.now = r.now.Add(toastTime); r.send(tick{}) },
	// Terminals without bracketed paste send a paste in pieces.
	"pastesPieces": func(r *robot) {
		for range 9 {
			r.send(tea.PasteMsg{Content: strings.Repeat("7", 120)})
		}
	},
	"profiles": func(r *robot, names ...string) {
		var all []Profile
		for _, name := range names {
			all = append(all, Profile{Name: name, Address: "https://" + name + ".example"})
		}
		r.app.o.Profiles = func() []Profile { return all }
	},
	"isDemo": func(r *robot) { r.app.o.Profiles, r.app.o.Prepare = nil, nil },
	"roleMissing": func(r *robot) {
		r.status(session.Status{State: session.Refused,
			Err: &api.Error{Kind: api.Forbidden, Status: 403, Role: api.RoleAPIUser}})
	},

	// Checks of what no text on the screen shows.
	"golden": func(r *robot, name string) { uitest.Golden(r.T, name, r.frame()) },
	"footer": func(r *robot, has, lacks string) {
		hints := r.hints()
		must.Hold(r.T, strings.Contains(hints, has) && !strings.Contains(hints, lacks), "the footer", hints, has, lacks)
	},
	"noHidden": func(r *robot) {
		hidden := func(c rune) bool { return unicode.Is(unicode.Cf, c) || c == '\u034f' }
		r.Equal("a hidden character", strings.ContainsFunc(r.Text(), hidden), false)
	},
	"switches": func(r *robot, to string) {
		switched, _ := r.app.quit.(*Switched)
		must.Hold(r.T, switched != nil && switched.To == to && r.quit, "ends with", r.app.quit, to, r.Text())
	},
	"notRequested": func(r *robot, call string) {
		r.Equal("requested "+call, slices.Contains(r.feed.Asked, call), false)
	},
	"ends": func(r *robot, why string) {
		r.Equal("quits", r.quit, true)
		r.Equal("reason", fmt.Sprint(r.app.quit), why)
	},
	"quits":   func(r *robot, want bool) { r.Equal("quits", r.quit, want) },
	"noTimer": func(r *robot) { r.Equal("no tick is due", r.app.clock.IsZero(), true) },
	"copiedLines": func(r *robot, want int) {
		_, text := r.Last()
		r.Equal("number of copied lines", strings.Count(text, "\n"), want)
	},
	"noDialog": func(r *robot) { r.Equal("a dialog is open", r.app.dialog.shown(), false) },
	"lineLacks": func(r *robot, line, text string) {
		r.Equal("the line has "+text, strings.Contains(r.Line(line), text), false)
	},
	"links": func(r *robot, url string) {
		r.Equal("a link to "+url, strings.Contains(r.frame(), "\x1b]8;;"+url), true)
	},
	"chose": func(r *robot, want string) { r.Equal("saved", uitest.LastOf(r.chosen()), want) },
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(testing.TB) *robot{
		"journeys": ready,
		"remote":   func(t testing.TB) *robot { return newRemoteRobot(t, 120, 36) },
		"retire": func(t testing.TB) *robot {
			r, _ := retiring(t, 120, 36, func(o *Options) { o.Alarm = true })
			return r
		},
		"readonly": func(t testing.TB) *robot {
			d := &carriesOut{}
			r := newRobotWith(t, 120, 36, func(o *Options) {
				o.Alarm, o.KeyFrom = true, "the keyring of this machine"
				o.Unfinished = func(context.Context) (int, error) { return len(d.pending), nil }
			})
			r.flow = d
			r.run(r.app.Init())
			r.settle()
			return r
		},
		"profiles": func(t testing.TB) *robot {
			r, _ := retiring(t, 100, 30, withProfiles)
			return r
		},
		"inputs": func(t testing.TB) *robot {
			r, _ := retiring(t, 120, 36, func(o *Options) {
				o.Who = "ada"
				o.WriteEvidence = func(context.Context, audit.File) (audit.Written, error) { return audit.Written{}, nil }
				o.ReadStatementData = func(context.Context) (statement.Source, error) {
					return statement.Source{}, context.Canceled
				}
			})
			r.ShowInventory()
			r.ShowRetirements()
			return r
		},
		"palette": func(t testing.TB) *robot { return settled(t, 140, 36) },
		"views": func(t testing.TB) *robot {
			r := settled(t, 140, 36)
			r.hear(session.ChoicesEvent{Choices: savedViews})
			return r
		},
	} {
		uitest.Play(t, name, actions, begin)
	}
}

func pasted(text string) func(*robot) {
	return func(r *robot) { r.send(tea.PasteMsg{Content: text}) }
}

func clicked(x, y int) func(*robot) {
	return func(r *robot) { r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
}

// status sends the first market with a status.
func (r *robot) status(s session.Status) {
	r.hear(session.MarketEvent{Status: s, Generation: 1, Market: uitest.Market(0)})
}

// Requested checks that the feed was called.
func (r *robot) Requested(wanted ...string) {
	for _, want := range wanted {
		must.Hold(r.T, slices.Contains(r.feed.Asked, want), want, r.feed.Asked)
	}
}

// Keeps checks that the footer has the keys, and nothing was sent to the terminal.
func (r *robot) Keeps() {
	must.Hold(r.T, strings.Contains(r.hints(), "? help") && len(r.raw) == 0, "footer", r.hints(), r.raw)
}

// oneDeep is a market of one vintage with large orders.
func oneDeep() session.MarketEvent {
	var part market.Page
	part.AddProject("003bale")
	part.AddVintage("004bale2019", 2019)
	for i := range 4 {
		part.AddOrder(fmt.Sprintf("6f1c0b5e-9a7d-4b1e-8f3a-00000000000%d", i),
			model.Grams(200_000+i*100_000)*model.GramsPerTonne, model.PriceCents(620+i))
	}
	return session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: market.New(&part)}
}

// longName gives the first project a long name.
func longName() session.ProjectsEvent {
	projects := uitest.Projects()
	bale := projects["003bale"]
	bale.Name = strings.Repeat("Bale Mountains ", 10)
	projects["003bale"] = bale
	return session.ProjectsEvent{Projects: projects}
}

// NameStays checks that another status does not move the name of the service.
func (r *robot) NameStays() {
	r.app.o.Host, r.app.o.Label = "demo", "synthetic data"
	r.status(uitest.Live())
	before := r.Line("synthetic data · demo")
	r.status(session.Status{State: session.Paused, At: r.now})
	now := r.Line("synthetic data · demo")
	must.Hold(r.T, strings.HasPrefix(now, before[:30]), "before", before, now)
}

// Lags checks that the lag delays the next update of an age.
func (r *robot) Lags(lag time.Duration) {
	due := r.app.clock
	r.app.o.Remote.Lag = lag
	r.app.clock = time.Time{}
	r.send(nil)
	late := r.app.clock.Sub(due)
	must.Hold(r.T, !due.IsZero() && late == lag, "the age is updated", late)
}

// Feed sends the first market with a status: its state, the age of its data, its problem, the time until the next
// attempt, and words about the progress. Empty texts have no effect.
func (r *robot) Feed(state, ago string, more ...string) {
	more = append(more, "", "", "")
	s := session.Status{State: map[string]session.State{
		"live": session.Live, "stale": session.Stale, "refused": session.Refused, "paused": session.Paused,
		"loading": session.Loading,
	}[state]}
	if d, err := time.ParseDuration(ago); err == nil {
		s.At = r.now.Add(-d)
	}
	switch problem := more[0]; problem {
	case "":
	case "incomplete":
		s.Err = &api.Error{Kind: api.Incomplete, Read: 7, Total: 17}
	default:
		s.Err = errors.New(problem)
	}
	if d, err := time.ParseDuration(more[1]); err == nil {
		s.RetryAt = r.now.Add(d)
	}
	for word := range strings.FieldsSeq(more[2]) {
		s.Earlier, s.Fetching = s.Earlier || word == "earlier", s.Fetching || word == "fetching"
		_, _ = fmt.Sscanf(word, "%d/%d", &s.Done, &s.Total)
	}
	r.status(s)
}

// Unresolved lets the journal have calls: one or twelve of unknown outcome, an abandoned or a forbidden one, or none.
func (r *robot) Unresolved(kind string) {
	call := unknownCall
	switch kind {
	case "abandoned":
		call.GivenUp = true
	case "forbidden":
		call.State, call.Unsure, call.TurnedAway = retire.Sent, false, 403
	}
	times := map[string]int{"unknown": 1, "abandoned": 1, "forbidden": 1, "twelve": 12}[kind]
	r.flow.pending = slices.Repeat([]retire.Call{call}, times)
	r.now = r.now.Add(recountAfter)
	r.send(tick{r.app.clock})
	r.settle()
}

// Sent checks the last call: its vintage, its sell order unless that is "", and its quantity.
func (r *robot) Sent(vintage, order string, g model.Grams) {
	must.Need(r.T, len(r.flow.sent) != 0, "nothing was sent", r.Text())
	plan := r.flow.sent[len(r.flow.sent)-1].Plan
	must.Hold(r.T, plan.VintageID == vintage && (order == "" || plan.SellOrderID == order) && plan.Quantity == g,
		"sent", plan)
}
