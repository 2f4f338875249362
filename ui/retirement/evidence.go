package retirement

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type evidencePanel struct {
	write func(context.Context, audit.File) (audit.Written, error)
	path  tab.Entry
	// one is the selected request, called name; all says that those that are
	// shown are written instead.
	one, shown selection
	name       string
	all        bool
	// failed are the failed checks of the one, and of those that are shown, checked
	// says that they are known.
	failed  [2][]audit.FailedCheck
	checked bool
	taxIDs  bool
	// taken is a path at which there is a file already: handing it in again
	// replaces that.
	taken   string
	problem string
}

type selection struct{ found, without []audit.Request }

func (s *selection) add(r ledger.Row, projects model.Projects) {
	if r.Answer == nil {
		s.without = append(s.without, audit.Request{Retirement: model.Retirement{ID: r.ID}, LeftOut: r.State()})
		return
	}
	details, known := projects[r.Answer.ProjectID]
	s.found = append(s.found, audit.Request{Retirement: *r.Answer, Project: details, ProjectKnown: known})
}

func (t *Tab) askEvidence(all bool, ending string) func() effect.Effect {
	return func() effect.Effect {
		r, _ := t.panes.ledger.Selected()
		p := &evidencePanel{write: t.o.WriteEvidence, path: tab.NewEntry(), name: r.Name(), all: all}
		p.one.add(r, t.view.Projects)
		for r := range t.panes.ledger.Shown() {
			p.shown.add(r, t.view.Projects)
		}
		p.path.SetValue(filepath.Join(t.certificates.directory, "evidence-"+fileName(t.evidenceOf(p, r))+ending))
		p.path.Focus()
		return effect.Batch(effect.Show{Panel: p}, t.check(p))
	}
}

// evidenceOf names what evidence is written of: a request, or what was searched
// for on a day. Two searches of a day must not ask for one file.
func (t *Tab) evidenceOf(p *evidencePanel, r ledger.Row) string {
	if !p.all || len(p.shown.found) == 1 {
		return r.ID
	}
	day := t.view.Now().In(t.view.Location).Format(time.DateOnly)
	if searched := strings.TrimSpace(t.panes.ledger.Search.Value()); searched != "" {
		return style.Clip(searched, longestSearched) + "-" + day
	}
	return day
}

// longestSearched is how much of a search stands in the name of a file, in cells.
const longestSearched = 40

func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

func (p *evidencePanel) chosen() selection {
	if p.all {
		return p.shown
	}
	return p.one
}

// Title says what is asked.
func (p *evidencePanel) Title() string { return "Write evidence" }

// Size asks for a few lines, and for those of the failed checks.
func (p *evidencePanel) Size(width, height int) (w, h int) {
	width = min(width, 76)
	lines := 6
	if told := p.failedLines(width); len(told) > 0 || !p.checked {
		lines += 1 + len(told)
	}
	return width, min(height, lines)
}

// Draw draws the path, what is written, its failed checks, and the keys.
func (p *evidencePanel) Draw(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	cursor := p.path.Draw(line, 0)
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case audit.File{Path: p.path.Value()}.Pack():
		b.Put(style.Muted, "a pack: evidence, certificates, answers, hashes; or .csv, .json, .xlsx")
	default:
		b.Put(style.Muted, ".csv, .json or .xlsx with a manifest; .zip packs the certificates too")
	}
	now, instead := p.what()
	drawChoice(b, "Tab", now, instead)
	switch pack := (audit.File{Path: p.path.Value()}.Pack()); {
	case p.taxIDs:
		drawChoice(b, "Ctrl-t", "tax ids in full", "or masked")
	case pack:
		drawChoice(b, "Ctrl-t", "tax ids masked, but for the answers in the pack", "or in full")
	default:
		drawChoice(b, "Ctrl-t", "tax ids masked", "or in full")
	}
	p.drawFailed(b)
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, "↵ writes · Esc cancels")
	return cursor
}

// what says of which requests evidence is written, and what else could be.
func (p *evidencePanel) what() (now, instead string) {
	if !p.all {
		return "of " + p.name, "or of all that are shown"
	}
	now = "of all that are shown: " + model.Count(len(p.shown.found), "request", "requests")
	if without := len(p.shown.without); without > 0 {
		now += fmt.Sprintf(", %s left out", tab.Number(int64(without)))
	}
	return now, "or of one"
}

func drawChoice(b *style.Block, key, now, instead string) {
	line := b.Line(style.Plain)
	line.PutLeft(style.Key, key, 8)
	line.Put(style.Text, style.Clip(now, max(line.Room()-style.Width(instead)-2, 0)))
	line.Gap(2)
	line.Put(style.Faint, instead)
}

// Press types, chooses, hands in or closes.
func (p *evidencePanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "tab", "shift+tab":
		p.all = !p.all
		return false, nil
	case "ctrl+t":
		p.taxIDs = !p.taxIDs
		return false, nil
	case "enter":
		return p.handIn()
	}
	p.problem = ""
	p.path.Take(msg)
	return false, nil
}

// Paste adds to the path.
func (p *evidencePanel) Paste(msg tea.PasteMsg) effect.Effect {
	return p.path.Take(msg)
}

func (p *evidencePanel) handIn() (bool, effect.Effect) {
	path, err := localfile.Expand(p.path.Value())
	chosen := p.chosen()
	switch {
	case err != nil:
		p.problem = "Type a path."
	case !(audit.File{Path: path}).Pack() && audit.CheckPath(path) != nil:
		p.problem = "The name must end in .csv, .json or .xlsx, or in .zip for a pack."
	case len(chosen.found) == 0:
		p.problem = "There is no answer yet to write evidence of."
	default:
		return true, p.save(audit.File{Path: path, Replace: path == p.taken, ShowTaxIDs: p.taxIDs, Of: chosen.found, LeftOut: chosen.without})
	}
	return false, nil
}
