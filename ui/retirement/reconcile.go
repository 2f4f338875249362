package retirement

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/reconcile"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// reconcilePanel shows the result of comparing the user's own records with the ledger.
type reconcilePanel struct {
	view *tab.View
	name string
	// decided says how the file was read.
	decided string
	leave   context.CancelFunc
	// result is nil while the records are compared.
	result  *reconcile.Reconciliation
	problem string
	// all is whether records that match are listed too.
	all    bool
	scroll tab.Scroll
}

// reconcile compares the records of a file with the ledger, and looks up the ids that it lacks.
func (t *Tab) reconcile(name, decided string, records []reconcile.Record) effect.Effect {
	ctx, leave := context.WithCancel(t.view.Context)
	p := &reconcilePanel{view: t.view, name: name, decided: decided, leave: leave}
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		result, err := t.o.Reconcile(ctx, records)
		return effect.Then(func() effect.Effect {
			if err != nil {
				p.problem = tab.Sentence(err)
				return nil
			}
			p.result = &result
			t.session.OpenLedger()
			return nil
		})
	}))
}

func (p *reconcilePanel) Title() string { return "Your records: " + p.name }

func (p *reconcilePanel) Size(width, height int) (w, h int) { return min(width, 120), height }

func (p *reconcilePanel) Draw(b *style.Block) *tea.Cursor {
	keys := "Esc closes"
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case p.result == nil:
		b.Put(style.Muted, "Comparing with the ledger, and looking up the ids that it lacks …")
	default:
		b.Put(style.Name, column.ReconciledCounts(*p.result))
		lines := p.lines(b.Width())
		below := p.scroll.Draw(b, b.Room()-1, len(lines), func(l *style.Line, n int) { lines[n](l) })
		keys = "Tab all records · e file · Esc closes"
		if p.all {
			keys = "Tab only differences · e file · Esc closes"
		}
		if below > 0 {
			keys = "j k " + tab.Number(int64(below)) + " more · " + keys
		}
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, keys)
	return nil
}

func (p *reconcilePanel) lines(width int) (lines []func(*style.Line)) {
	blank := func(*style.Line) {}
	put := func(role style.Role, text string) {
		for _, part := range style.Wrap(text, width) {
			lines = append(lines, func(l *style.Line) { l.Put(role, part) })
		}
	}
	if p.decided != "" {
		put(style.Muted, "Read: "+tab.Typed(p.decided)+".")
	}
	for _, note := range column.ReconciledNotes(*p.result) {
		put(style.Warning, "⚠ "+note+".")
	}
	lines = append(lines, blank)
	lines = append(lines, tableLines(column.ReconciledMonths(*p.result, p.view.Quantity), width, 1, 0)...)
	lines = append(lines, blank)
	listed := len(lines)
	for _, line := range p.result.Lines {
		if p.all || line.Result != reconcile.Matched {
			lines = append(lines, recordLines(line, width)...)
		}
	}
	if len(lines) == listed {
		put(style.Muted, "All records match. Tab lists them.")
	}
	return lines
}

// recordLines returns the lines of a record: what it is, its result, and next to it what differs.
func recordLines(of reconcile.Line, width int) (lines []func(*style.Line)) {
	const at, id, result, gap = 6, 18, 15, 2
	number, name, role := "–", of.ID, style.Warning
	if of.Line > 0 {
		number = strconv.Itoa(of.Line)
	}
	if name == "" {
		name = of.Reference
	}
	if of.Result == reconcile.Matched {
		role = style.Muted
	}
	words := column.LineWords(of)
	if of.Result == reconcile.MissingInFile {
		words = of.Quantity.FormatTonnes()
		if of.Reference != "" {
			words += " · " + of.Reference
		}
	}
	for n, part := range style.Wrap(words, max(width-at-id-result-3*gap, 1)) {
		lines = append(lines, func(l *style.Line) {
			if n > 0 {
				l.Gap(at + id + result + 3*gap)
				l.Put(style.Text, part)
				return
			}
			l.PutRight(style.Muted, number, at)
			l.Gap(gap)
			l.PutLeft(style.Text, tab.Typed(name), id)
			l.Gap(gap)
			l.PutLeft(role, column.ReconciledWords(of.Result), result)
			l.Gap(gap)
			l.Put(style.Text, part)
		})
	}
	return lines
}

func (p *reconcilePanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q":
		p.leave()
		return true, nil
	case "tab", "shift+tab":
		p.all, p.scroll = !p.all, tab.Scroll{}
	case "e":
		if p.result != nil {
			return true, p.export()
		}
	default:
		p.scroll.Press(msg)
	}
	return false, nil
}

func (p *reconcilePanel) Paste(tea.PasteMsg) effect.Effect { return nil }

func (p *reconcilePanel) export() effect.Effect {
	result := *p.result
	return tab.Export[column.ReconciledField]{
		What: "the comparison", File: "reconciliation-" + p.view.Now().UTC().Format("2006-01-02-150405") + ".xlsx",
		Rows: column.ReconciledFields(result.Lines), Endings: []string{".xlsx", ".csv", ".json"},
		Encode: func(path string) ([]byte, error) { return column.EncodeReconciliation(path, result) },
	}.Ask(p.view)
}
