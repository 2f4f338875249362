package ui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/uitest"
)

// hostile is text that would do harm if it reached a terminal as it is, or
// that is hard to measure.
var hostile = []string{
	"\x1b]", "\x1b[2J", "a\u009b31mb", "\u009d0;title\x07", "carriage\rreturn", "back\b\b\bspace",
	"\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x07", "\u202Ereversed", "\u2066isolated",
	"zero\u200bwidth\u200d", "e" + strings.Repeat("\u0301", 500), "👩‍👩‍👧‍👦 family", "森林碳汇项目", "مشروع الغابات",
	strings.Repeat("long ", 4000), "new\nline", "\x00\x7f", "\xff\xfe invalid", "🇪🇹🇰🇭", "",
}

// harmless is what may stand in a frame besides text: styles and links that
// the dashboard wrote.
var harmless = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\]8;;[!-~]*\x1b\\\\")

// chance makes up what happens to a dashboard.
type chance struct {
	*rand.Rand
	r *robot
}

var strokes = strings.Fields("1 2 3 tab j j j k k down up pgup pgdown ctrl+d ctrl+u g g G home end enter enter esc esc / s b i v c C f F o y Y u m r space ? : h l [ ] t z n a x e E I p d L R S . w 0 q ctrl+c left right backspace")

func (c chance) key() tea.Msg {
	if c.IntN(6) == 0 {
		return tea.KeyPressMsg{Code: 'é', Text: string(rune('a' + c.IntN(26)))}
	}
	return uitest.Stroke(strokes[c.IntN(len(strokes))])
}

func (c chance) text() string { return hostile[c.IntN(len(hostile))] }

func (c chance) status() feed.Status {
	s := feed.Status{State: feed.State(c.IntN(5)), At: c.r.now.Add(-time.Duration(c.IntN(1e12)))}
	if c.IntN(2) == 0 {
		s.Err, s.RetryAt = errors.New(c.text()), c.r.now.Add(time.Duration(c.IntN(1e11)))
	}
	return s
}

func (c chance) market() *model.Market {
	if c.IntN(3) > 0 {
		return uitest.Market(model.PriceCents(c.IntN(40)))
	}
	var part model.MarketPart
	for p := range c.IntN(30) {
		part.AddProject(fmt.Sprintf("003%d%s", p, c.text()))
		for v := range c.IntN(4) {
			part.AddVintage(fmt.Sprintf("004%d%d%s", p, v, c.text()), c.IntN(3000)-100)
			for o := range c.IntN(6) {
				part.AddOrder(fmt.Appendf(nil, "006%d.%d.%d", p, v, o), model.Grams(c.Int64()>>c.IntN(63)-1), model.PriceCents(c.Int64()>>c.IntN(63)-1))
			}
		}
	}
	return model.NewMarket(&part)
}

func (c chance) projects() model.Projects {
	all := uitest.Projects()
	for id, p := range all {
		if c.IntN(3) == 0 {
			p.Name, p.Type, p.Country, p.Description, p.RegistryURL = c.text(), c.text(), c.text(), c.text(), c.text()
			all[id] = p
		}
	}
	return all
}

func (c chance) retirement() feed.Event {
	id := []string{"00mcomplete", "00mclosed"}[c.IntN(2)]
	states := []model.RetirementStatus{model.Open, model.Closed, model.InProgress, model.Complete, model.NothingToProcess, "ODD", model.RetirementStatus(c.text())}
	r := uitest.Retirement(id, states[c.IntN(len(states))])
	if c.IntN(2) == 0 {
		r.SerialNumbers = append(r.SerialNumbers, c.text(), c.text())
		r.CertificateURL = c.text()
		r.CreatedAt = model.ParseTimestamp(c.text())
		r.Extra = []model.Field{{Name: c.text(), Value: c.text()}}
	}
	if c.IntN(4) == 0 {
		return feed.RetirementEvent{ID: id, Err: errors.New(c.text())}
	}
	return feed.RetirementEvent{ID: id, Retirement: r, At: c.r.now}
}

func (c chance) event() feed.Event {
	switch c.IntN(6) {
	case 0, 1:
		now := c.market()
		return feed.MarketEvent{Status: c.status(), Generation: c.Uint64(), Market: now, Changes: now.Since(uitest.Market(0))}
	case 2:
		return feed.ProjectsEvent{Projects: c.projects()}
	case 3:
		inventory := uitest.Inventory()
		inventory.Projects[c.IntN(4)].Vintages[0].Wallets[0].Type = c.text()
		return feed.InventoryEvent{Status: c.status(), Query: c.r.feed.Query, Inventory: inventory, Page: model.Page{PerPage: c.IntN(50), TotalPages: c.IntN(9), Current: c.IntN(9)}}
	case 4:
		return feed.LastPaidEvent{Status: c.status(), Prices: uitest.Inventory().LastPaid()}
	}
	return c.retirement()
}

func (c chance) message() tea.Msg {
	switch n := c.IntN(100); {
	case n < 60:
		return c.key()
	case n < 72:
		return news{events: []feed.Event{c.event()}}
	case n < 80:
		return tea.MouseClickMsg{X: c.IntN(200) - 5, Y: c.IntN(60) - 5, Button: tea.MouseLeft}
	case n < 86:
		return tea.MouseWheelMsg{X: c.IntN(200), Y: c.IntN(60), Button: tea.MouseWheelDown - tea.MouseButton(c.IntN(2))}
	case n < 94:
		return tea.WindowSizeMsg{Width: c.IntN(200), Height: c.IntN(60)}
	case n < 96:
		return tea.PasteMsg{Content: c.text()}
	case n < 98:
		c.r.now = c.r.now.Add(time.Duration(c.Int64N(int64(time.Hour))) - 10*time.Minute)
		return tick{c.r.desk.clock}
	}
	return []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}[c.IntN(2)]
}

// follow runs what a message leads to.
func (r *robot) follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			r.follow(c)
		}
	} else if msg != nil && !idle(msg) {
		_, next := r.desk.Update(msg)
		r.follow(next)
	}
}

func (r *robot) checkFrame(t *testing.T) {
	t.Helper()
	frame := r.frame()
	if width, height := r.desk.width, r.desk.height; width > 0 && height > 0 {
		uitest.Exact(t, frame, width, height)
	}
	if rest := harmless.ReplaceAllString(frame, ""); strings.ContainsFunc(rest, func(c rune) bool {
		return c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0
	}) {
		t.Errorf("a control character is in the frame: %q", ansi.Strip(frame))
	}
}

// TestRandomInput lets a hundred thousand things happen in any order. Nothing
// may panic, overflow the screen or reach the terminal raw.
func TestRandomInput(t *testing.T) {
	t.Parallel()
	const robots, messages = 8, 12_500
	for seed := range uint64(robots) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, 120, 36)
			c := chance{rand.New(rand.NewPCG(seed, 2026)), r}
			for n := range messages {
				_, cmd := r.desk.Update(c.message())
				if n%16 == 0 {
					r.follow(cmd)
				}
				if n%24 == 0 {
					r.checkFrame(t)
				}
				if t.Failed() {
					t.Fatalf("after %d messages", n)
				}
			}
		})
	}
}
