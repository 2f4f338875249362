package retirement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/retirement/localfile"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// evidencePanel asks where evidence is written and what of.
type evidencePanel struct {
	write func(EvidenceFile) error
	path  tab.Entry
	// one is the selected request, called name; all says that those that are
	// shown are written instead.
	one, shown selection
	name       string
	all        bool
	taxIDs     bool
	// taken is a path at which there is a file already: handing it in again
	// replaces that.
	taken   string
	problem string
}

// selection is requests that evidence can be written of. The others have no
// answer to write.
type selection struct {
	sources []model.EvidenceSource
	without int
}

func (s *selection) add(r ledger.Row, projects model.Projects) {
	if r.Answer == nil {
		s.without++
		return
	}
	details, known := projects[r.Answer.ProjectID]
	source := model.EvidenceSource{Retirement: *r.Answer, Project: details, ProjectKnown: known}
	if c := r.Certificate; c.Path != "" {
		source.Certificate = model.EvidenceCertificate{File: filepath.Base(c.Path), SHA256: c.SHA256, FetchedAt: c.FetchedAt}
	}
	s.sources = append(s.sources, source)
}

// askEvidence asks for the selected request, or for all that are shown.
func (t *Tab) askEvidence(all bool) func() effect.Effect {
	return func() effect.Effect {
		r, _ := t.ledger.Selected()
		p := &evidencePanel{write: t.o.WriteEvidence, path: tab.NewEntry(), name: r.Name(), all: all}
		p.one.add(r, t.view.Projects)
		for r := range t.ledger.Shown() {
			p.shown.add(r, t.view.Projects)
		}
		file := "evidence-" + r.ID
		if all {
			file = "evidence-" + t.view.Now().In(t.view.Location).Format("2006-01-02")
		}
		p.path.SetValue(filepath.Join(t.certificates.directory, fileName(file)+".csv"))
		p.path.Focus()
		return effect.Show{Panel: p}
	}
}

// fileName leaves out of a name what does not belong into that of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

// chosen returns the requests that evidence is written of.
func (p *evidencePanel) chosen() selection {
	if p.all {
		return p.shown
	}
	return p.one
}

// Title says what is asked.
func (p *evidencePanel) Title() string { return "Write evidence" }

// Size asks for a few lines.
func (p *evidencePanel) Size(width, height int) (w, h int) { return min(width, 76), min(height, 7) }

// Draw draws the path, what is written, and the keys.
func (p *evidencePanel) Draw(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	cursor := p.path.Draw(line, 0)
	if p.problem != "" {
		b.Put(style.Warning, "✗ "+p.problem)
	} else {
		b.Put(style.Muted, ".csv, .json or .xlsx; a manifest with its hash is written beside it")
	}
	now, instead := p.what()
	drawChoice(b, "Tab", now, instead)
	if p.taxIDs {
		drawChoice(b, "Ctrl-t", "tax ids in full", "or masked")
	} else {
		drawChoice(b, "Ctrl-t", "tax ids masked", "or in full")
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, "↵ writes · Esc cancels")
	return cursor
}

// what says of which requests evidence is written, and what else could be.
func (p *evidencePanel) what() (now, instead string) {
	if !p.all {
		return "of " + p.name, "or of all that are shown"
	}
	now = "of all that are shown: " + tab.Count(len(p.shown.sources), "request", "requests")
	if p.shown.without > 0 {
		now += fmt.Sprintf(", %s left out", tab.Number(int64(p.shown.without)))
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
	p.path.Take(msg)
	return nil
}

// endings are those of the files that evidence can be written to.
var endings = []string{".csv", ".json", ".xlsx"}

// handIn writes the evidence in the background.
func (p *evidencePanel) handIn() (bool, effect.Effect) {
	path, err := localfile.Expand(p.path.Value())
	sources := p.chosen().sources
	switch {
	case err != nil:
		p.problem = "Type a path."
	case !slices.Contains(endings, strings.ToLower(filepath.Ext(path))):
		p.problem = "The name must end in .csv, .json or .xlsx."
	case len(sources) == 0:
		p.problem = "There is no answer yet to write evidence of."
	default:
		file := EvidenceFile{Path: path, Replace: path == p.taken, ShowTaxIDs: p.taxIDs, Of: sources}
		return true, p.file(file)
	}
	return false, nil
}

func (p *evidencePanel) file(file EvidenceFile) effect.Effect {
	return effect.Work(func(context.Context) any {
		err := p.write(file)
		switch {
		case errors.Is(err, fs.ErrExist):
			return fileTaken{p, file.Path}
		case err != nil:
			return effect.Warn("Not written: " + localfile.Plain(err).Error() + ".")
		}
		return effect.Say(fmt.Sprintf("Wrote evidence of %s to %s.", tab.Count(len(file.Of), "request", "requests"), tab.Typed(file.Path)))
	})
}

// fileTaken says that there is a file already where a panel was to write one.
type fileTaken struct {
	panel *evidencePanel
	path  string
}

// askAgain shows the panel again, which then replaces the file.
func (r fileTaken) askAgain() effect.Effect {
	r.panel.taken, r.panel.problem = r.path, "A file is there already. ↵ replaces it; or type another name."
	return effect.Show{Panel: r.panel}
}

func (t *Tab) whyNoEvidence() string {
	if t.o.WriteEvidence == nil {
		return "Evidence cannot be written here."
	}
	return t.whyNone()
}
