package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func ready(t testing.TB) *robot { return settled(t, 120, 36) }

// inPalette are the commands without a key.
var inPalette = map[string]bool{"market.unmark": true, "desk.profile": true, "desk.view": true, "desk.viewsave": true,
	"market.copycell": true, "market.basketexport": true, "inventory.copycell": true, "retirement.copycell": true,
	"retirement.copyaddress": true,
	"retirement.drop":        true,
}

func TestKeyHasOneMeaningOnAllTabs(t *testing.T) {
	t.Parallel()
	type meaning struct{ action, of string }
	meanings := make(map[string]meaning)
	see := func(groups []keymap.Group) {
		for _, g := range groups {
			for _, b := range g.Bindings {
				for _, k := range b.Keys {
					was, there := meanings[k]
					must.Hold(t, !there || was.action == b.Meaning(),
						"key", keymap.Label(k), was.action, was.of, b.Meaning(), b.Name)
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
		r.ShowInventory()
		r.ShowRetirements()
		r.Press("1")
		r.Press(keys...)
		see(r.app.keys)
	}
	must.Hold(t, len(meanings) >= 60, "only", len(meanings))
}

func TestEveryBindingHasANameAndHelp(t *testing.T) {
	t.Parallel()
	r := ready(t)
	for n := range Tabs[:recordedTab] {
		r.Press(string(rune('1' + n)))
		seen := make(map[string]string)
		for _, g := range r.app.keys {
			for _, b := range g.Bindings {
				must.Hold(t, b.Name != "" && b.Help != "" && (len(b.Keys) != 0 || inPalette[b.Name]) && b.Do != nil,
					"binding", b)
				problems := (keymap.Remap{b.Name: b.Keys}).Unusable()
				must.Hold(t, len(problems) == 0, b.Name, problems)
				for _, k := range b.Keys {
					other, taken := seen[k]
					must.Hold(t, !taken, "tab", n+1, k, other, b.Name)
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
	must.Hold(t, len(r.app.CheckKeys()) != 0, "the conflict with half a page up was not reported")
	r.app.o.Remap = keymap.Remap{"desk.unknown": {"x"}}
	problems := r.app.CheckKeys()
	must.Hold(t, len(problems) == 1 && strings.Contains(problems[0].Error(), "desk.unknown"),
		"an unknown name was reported as", problems)
	r.app.o.Remap = keymap.Remap{"desk.units": {"ctrl+g"}}
	if problems := r.app.CheckKeys(); problems != nil {
		t.Errorf("problems: %v", problems)
	}
	r.settle()
	r.Press("ctrl+g")
	r.Sees("4,650,500,000 g")
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
	must.Equal(t, p.left, 1, "Escape was sent")
	r.send(result{value: effect.Show{Panel: p}})
	r.send(result{value: tab.Prompt{Title: "Prompt"}.Ask()})
	r.Sees("─ Prompt ─")
	r.Press("esc")
	r.Sees("─ Panel ─")
}
