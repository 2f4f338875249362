package retirement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type evidencePanel struct {
	write func(context.Context, audit.File) (audit.Written, error)
	files tab.Files
	path  tab.Entry
	// one is the selected request, with the display name name; all is whether the shown
	// requests are written instead.
	one, shown selection
	name       string
	all        bool
	taxIDs     bool
	problem    string
}

// selection is a set of requests: those with an answer, those without, and a line for each
// failed check or missing answer.
type selection struct {
	found, without []audit.Request
	failed         []string
}

func (s *selection) add(r ledger.Row, projects model.Projects) {
	if r.Answer == nil {
		s.without = append(s.without, audit.Request{Retirement: retirement.Request{ID: r.ID}, LeftOut: r.State()})
		s.failed = append(s.failed, r.ID+" is left out: "+r.State())
		return
	}
	details, known := projects[r.Answer.ProjectID]
	s.found = append(s.found, audit.Request{Retirement: *r.Answer, Project: details, ProjectKnown: known})
	if failed := r.Failed(); failed != "" {
		s.failed = append(s.failed, r.ID+" "+failed)
	}
}

func (t *Tab) askEvidence(all bool, ending string) func() effect.Effect {
	return func() effect.Effect {
		r, _ := t.panes.ledger.Selected()
		p := &evidencePanel{files: t.view.Files, write: t.o.WriteEvidence, path: tab.NewEntry(), name: r.Name(), all: all}
		p.one.add(r, t.view.Projects)
		for r := range t.panes.ledger.Shown() {
			p.shown.add(r, t.view.Projects)
		}
		of := r.ID
		if all && len(p.shown.found) != 1 {
			of = t.evidenceOfShown()
		}
		p.path.SetValue(filepath.Join(t.certificates.directory,
			"evidence-"+regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(of, "_")+ending))
		p.path.Focus()
		return effect.Show{Panel: p}
	}
}

// evidenceOfShown names a file after the search and the day, so that two searches of a day get
// two files.
func (t *Tab) evidenceOfShown() string {
	const longest = 40 // cells of a search
	day := t.view.Now().In(t.view.Location).Format(time.DateOnly)
	if searched := strings.TrimSpace(t.panes.ledger.Search.Value()); searched != "" {
		return style.Clip(searched, longest) + "-" + day
	}
	return day
}

func (p *evidencePanel) chosen() *selection {
	if p.all {
		return &p.shown
	}
	return &p.one
}

func (p *evidencePanel) Title() string { return "Write evidence" }

func (p *evidencePanel) Size(width, height int) (w, h int) {
	width = min(width, 76)
	lines := 6
	if failed := p.failedLines(width); len(failed) > 0 {
		lines += 1 + len(failed)
	}
	return width, min(height, lines)
}

func (p *evidencePanel) Draw(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	cursor := p.path.Draw(line, 0)
	pack := audit.File{Path: p.path.Value()}.Pack()
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case pack:
		b.Put(style.Muted, "a pack: evidence, certificates, responses, hashes; or .csv, .json, .xlsx")
	default:
		b.Put(style.Muted, ".csv, .json or .xlsx with a manifest; .zip includes the certificates")
	}
	if p.all {
		drawChoice(b, "Tab", p.allShown(), "or one")
	} else {
		drawChoice(b, "Tab", "1 request: "+p.name, "or all shown")
	}
	switch {
	case p.taxIDs:
		drawChoice(b, "Ctrl-t", "tax ids in full", "or masked")
	case pack:
		drawChoice(b, "Ctrl-t", "tax ids masked, except in the raw responses", "or in full")
	default:
		drawChoice(b, "Ctrl-t", "tax ids masked", "or in full")
	}
	p.drawFailed(b)
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, "↵ writes · Esc cancels")
	return cursor
}

func (p *evidencePanel) allShown() string {
	text := "all shown: " + model.Count(len(p.shown.found), "request", "requests")
	if without := len(p.shown.without); without > 0 {
		text += ", " + tab.Number(int64(without)) + " left out"
	}
	return text
}

func drawChoice(b *style.Block, key, now, instead string) {
	line := b.Line(style.Plain)
	line.PutLeft(style.Key, key, 8)
	line.Put(style.Text, style.Clip(now, max(line.Room()-style.Width(instead)-2, 0)))
	line.Gap(2)
	line.Put(style.Faint, instead)
}

func (p *evidencePanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "tab", "shift+tab":
		p.all = !p.all
	case "ctrl+t":
		p.taxIDs = !p.taxIDs
	case "enter":
		return p.submit()
	default:
		p.problem = ""
		p.path.Take(msg)
	}
	return false, nil
}

func (p *evidencePanel) Paste(msg tea.PasteMsg) effect.Effect { return p.path.Take(msg) }

func (p *evidencePanel) submit() (bool, effect.Effect) {
	path, err := p.files.Expand(p.path.Value())
	chosen := p.chosen()
	file := audit.File{Path: path, ShowTaxIDs: p.taxIDs, Of: chosen.found, LeftOut: chosen.without}
	switch {
	case err != nil:
		p.problem = "Enter a path."
	case !file.Pack() && audit.CheckPath(path) != nil:
		p.problem = "The name must end in .csv, .json or .xlsx, or in .zip for a pack."
	case len(chosen.found) == 0:
		p.problem = "There is nothing to write: no request has been answered yet."
	default:
		return true, p.save(file)
	}
	return false, nil
}

func (p *evidencePanel) save(file audit.File) effect.Effect {
	write := effect.Work(func(ctx context.Context) any {
		written, err := p.write(ctx, file)
		switch {
		case errors.Is(err, fs.ErrExist):
			return effect.Then(func() effect.Effect {
				p.problem = "The file already exists, and is not replaced. Enter another name."
				return effect.Show{Panel: p}
			})
		case err != nil:
			return effect.Warn("Not written: " + err.Error() + ".")
		}
		return effect.Toast{Text: sayWritten(file, written), Bad: len(written.Failed) > 0 || written.LeftOut > 0}
	})
	if file.Pack() {
		return effect.Batch(effect.Say("Looking up "+model.Count(len(file.Of), "request", "requests")+" for the pack …"),
			write)
	}
	return write
}

func sayWritten(file audit.File, w audit.Written) string {
	text := "Wrote evidence of " + model.Count(w.Requests, "request", "requests")
	if file.Pack() {
		text = "Packed " + model.Count(w.Requests, "request", "requests") + " with " +
			model.Count(w.Certificates, "certificate", "certificates")
	}
	text += " to " + tab.Typed(file.Path) + "."
	if w.LeftOut > 0 {
		text += " " + model.Count(w.LeftOut, "request", "requests") + " left out."
	}
	failed := slices.DeleteFunc(slices.Clone(w.Failed), func(f audit.FailedCheck) bool { return f.Check == "" })
	if len(failed) > 0 {
		text += fmt.Sprintf(" %s: %s.", model.Count(len(failed), "check failed", "checks failed"),
			failed[0].Request+" "+strings.ReplaceAll(failed[0].Check, "_", " ")+": "+failed[0].Detail)
	}
	return text
}

// failedLines returns the first few failed checks. The file lists all.
func (p *evidencePanel) failedLines(width int) (lines []string) {
	const named, rows = 3, 2
	failed := p.chosen().failed
	for _, d := range failed[:min(len(failed), named)] {
		text := style.Wrap(d, max(width-2, 1))
		if len(text) > rows {
			text = append(text[:rows-1], text[rows-1]+" …")
		}
		lines = append(lines, text...)
	}
	return lines
}

func (p *evidencePanel) drawFailed(b *style.Block) {
	failed := len(p.chosen().failed)
	if failed == 0 || b.Room() < 3 {
		return
	}
	b.Put(style.Warning, "⚠ "+model.Count(failed, "problem", "problems")+":")
	lines := p.failedLines(b.Width())
	for _, line := range lines[:min(len(lines), b.Room()-1)] {
		b.Put(style.Text, "  "+line)
	}
}
