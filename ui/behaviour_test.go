package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func ready(t testing.TB) *robot { return settled(t, 120, 36) }

func TestHeaderShowsStateOfFeed(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for _, c := range []struct {
		name   string
		status session.Status
		want   string
	}{
		{"live", session.Status{State: session.Live, At: uitest.Now.Add(-2 * time.Second)}, "● live · 2s ago"},
		{"clock went back", session.Status{State: session.Live, At: uitest.Now.Add(time.Hour)}, "● live · 0s ago"},
		{"stale", session.Status{State: session.Stale, At: uitest.Now.Add(-45 * time.Second), Err: refused, RetryAt: uitest.Now.Add(8 * time.Second)}, "⚠ stale 45s · connection refused · retry in 8s"},
		{"an earlier run", session.Status{State: session.Stale, At: uitest.Now.Add(-16 * time.Hour), Earlier: true, Fetching: true}, "⚠ stale 16h · loading"},
		{"an earlier run, reading", session.Status{State: session.Stale, At: uitest.Now.Add(-16 * time.Hour), Earlier: true, Fetching: true, Done: 2, Total: 5}, "⚠ stale 16h · loading · page 2 of 5"},
		{"an earlier run, refused", session.Status{State: session.Refused, At: uitest.Now.Add(-16 * time.Hour), Earlier: true, Err: errors.New("key not accepted")}, "✗ key not accepted · as of 1 Nov 2026 17:14 UTC"},
		{"paused", session.Status{State: session.Paused, At: uitest.Now}, "‖ paused · as of 2 Nov 2026 09:14"},
		{"refused", session.Status{State: session.Refused, Err: errors.New("key not accepted")}, "✗ key not accepted · r retries"},
		{"refused after a while", session.Status{State: session.Refused, At: uitest.Now, Err: errors.New("key not accepted")}, "✗ key not accepted · as of 2 Nov 2026 09:14 UTC · r retries"},
		{"loading", session.Status{State: session.Loading, Fetching: true, Done: 3, Total: 12}, "◌ loading · page 3 of 12"},
		{"incomplete", session.Status{State: session.Loading, Err: &api.Error{Kind: api.Incomplete, Read: 7, Total: 17}, RetryAt: uitest.Now.Add(3 * time.Second)}, "⚠ incomplete: 7 of 17 projects · retry in 3s"},
		{"incomplete after a while", session.Status{State: session.Stale, At: uitest.Now.Add(-45 * time.Second), Err: &api.Error{Kind: api.Incomplete, Read: 7, Total: 17}}, "⚠ stale 45s · incomplete: 7 of 17 projects"},
		{"first try failed", session.Status{State: session.Loading, Err: refused, RetryAt: uitest.Now.Add(3 * time.Second)}, "⚠ connection refused · retry in 3s"},
	} {
		for _, size := range [...][2]int{{60, 15}, {80, 24}, {120, 36}} {
			r := settled(t, size[0], size[1])
			r.hear(session.MarketEvent{Status: c.status, Generation: 1, Market: uitest.Market(0)})
			uitest.Exact(t, r.frame(), size[0], size[1])
			if !strings.Contains(r.Text(), c.want) && size[0] > 60 {
				t.Errorf("%s at %d×%d: %q is not on the screen:\n%s", c.name, size[0], size[1], c.want, r.Text())
			}
		}
	}
}

// inPalette are the commands without a key.
var inPalette = map[string]bool{"market.unmark": true, "desk.profile": true, "desk.view": true, "desk.viewsave": true,
	"market.copycell": true, "market.basketexport": true, "inventory.copycell": true, "retirement.copycell": true, "retirement.copyaddress": true,
}

func TestKeyHasOneMeaningOnAllTabs(t *testing.T) {
	t.Parallel()
	type meaning struct{ action, of string }
	meanings := make(map[string]meaning)
	see := func(groups []keymap.Group) {
		for _, g := range groups {
			for _, b := range g.Bindings {
				for _, k := range b.Keys {
					if was, there := meanings[k]; there && was.action != b.Meaning() {
						t.Errorf("key %s is %q in %s and %q in %s", keymap.Label(k), was.action, was.of, b.Meaning(), b.Name)
					}
					meanings[k] = meaning{b.Meaning(), b.Name}
				}
			}
		}
	}
	see(Keys())
	for _, keys := range [][]string{
		{"enter"}, {"i", "enter"}, {"v", "enter"}, {"w", "enter"}, {"c", "enter"}, {"b", "5", "enter", "enter"},
		{"B", "5", "enter"}, {"2", "enter"}, {"2", "c"}, {"2", "P"}, {"3", "enter"},
	} {
		r, _ := retiring(t, 120, 36, func(*Options) {})
		r.settle()
		r.showInventory()
		r.showRetirements()
		r.Press("1")
		r.Press(keys...)
		see(r.app.keys)
	}
	if len(meanings) < 60 {
		t.Errorf("only %d keys", len(meanings))
	}
}

func TestEveryBindingHasANameAndHelp(t *testing.T) {
	t.Parallel()
	r := ready(t)
	for n := range r.app.tabs {
		r.Press(string(rune('1' + n)))
		seen := make(map[string]string)
		for _, g := range r.app.keys {
			for _, b := range g.Bindings {
				if b.Name == "" || b.Help == "" || len(b.Keys) == 0 && !inPalette[b.Name] || b.Do == nil {
					t.Errorf("binding %+v lacks a name, help, keys or an action", b)
				}
				if problems := (keymap.Remap{b.Name: b.Keys}).Unusable(); len(problems) > 0 {
					t.Errorf("%s: %v", b.Name, problems)
				}
				for _, k := range b.Keys {
					if other, taken := seen[k]; taken {
						t.Errorf("tab %d: %q does both %s and %s", n+1, k, other, b.Name)
					}
					seen[k] = b.Name
				}
			}
		}
	}
}

func TestRemappedKeys(t *testing.T) {
	t.Parallel()
	r := newRobot(t, 120, 36)
	r.app.o.Remap = keymap.Remap{"desk.units": {"ctrl+u", "g"}}
	if problems := r.app.CheckKeys(); len(problems) == 0 {
		t.Error("the conflict with half a page up was not reported")
	}
	r.app.o.Remap = keymap.Remap{"desk.unknown": {"x"}}
	if problems := r.app.CheckKeys(); len(problems) != 1 || !strings.Contains(problems[0].Error(), "desk.unknown") {
		t.Errorf("an unknown name was reported as %v", problems)
	}
	r.app.o.Remap = keymap.Remap{"desk.units": {"ctrl+g"}}
	if problems := r.app.CheckKeys(); problems != nil {
		t.Errorf("problems: %v", problems)
	}
	r.settle()
	r.Press("ctrl+g")
	r.Sees("4,650,500,000 g")
}

func TestQuitAndInterrupt(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.Press("q")
	if !r.quit || r.app.quit != nil {
		t.Errorf("q: quit %v, %v", r.quit, r.app.quit)
	}
	r = ready(t)
	r.Press("/", "q")
	if r.quit {
		t.Error("q in the filter ends the program")
	}
	r.Press("ctrl+c")
	if !r.quit || !errors.Is(r.app.quit, ErrInterrupted) {
		t.Errorf("ctrl+c: quit %v, %v", r.quit, r.app.quit)
	}
}

func TestFailureStaysUntilNextInputOrAMinute(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*robot){
		"a key":    func(r *robot) { r.Press("j") },
		"a paste":  pasted("x"),
		"a click":  clicked(5, 8),
		"a minute": func(r *robot) { r.later(30 * time.Second) },
	} {
		r := ready(t)
		r.app.warn("It did not work.")
		r.later(30 * time.Second)
		r.app.say("The price fell.")
		r.later(time.Second)
		r.Sees("✗ It did not work.")
		do(r)
		r.later(time.Second)
		if strings.Contains(r.Text(), "It did not work.") {
			t.Errorf("%s does not clear the failure", name)
		}
		r.app.say("It worked.")
		r.send(nil)
		r.Sees("It worked.")
		r.now = r.now.Add(5 * time.Second)
		r.send(tick{r.app.clock})
		r.SeesNot("It worked.")
	}
}

// leaving is a panel that counts Escape keys.
type leaving struct {
	effect.Panel
	left int
}

func (p *leaving) Title() string { return "Panel" }

func (p *leaving) Size(width, height int) (w, h int) { return min(width, 20), min(height, 3) }

func (p *leaving) Draw(*style.Block) *tea.Cursor { return nil }

func (p *leaving) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	if msg.Keystroke() == "esc" {
		p.left++
	}
	return false, nil
}

func TestClosedPanelUncoversTheOneBelow(t *testing.T) {
	t.Parallel()
	r := ready(t)
	p := &leaving{}
	r.send(result{value: effect.Show{Panel: p}})
	r.Sees("─ Panel ─")
	clicked(60, 18)(r)
	r.SeesNot("─ Panel ─")
	if p.left != 1 {
		t.Errorf("Escape was sent %d times", p.left)
	}
	r.send(result{value: effect.Show{Panel: p}})
	r.send(result{value: tab.Prompt{Title: "Prompt"}.Ask()})
	r.Sees("─ Prompt ─")
	r.Press("esc")
	r.Sees("─ Panel ─")
}
