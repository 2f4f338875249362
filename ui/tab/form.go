package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Form is a panel with input fields. Create one with NewForm.
type Form struct {
	// Heading is the title and Keys the help. Note is shown while Problem is empty.
	Heading, Note, Problem, Keys string
	// Width is the maximum width, and LabelWidth the width of the labels, in cells.
	Width, LabelWidth int
	// Labels and Hints belong to the fields. Hidden is the label of a field whose text is shown as dots.
	Labels, Hints []string
	Hidden        string
	// Replace reports that typed text replaces the text of a field.
	Replace bool
	// Edited, if not nil, is called before a field is edited. text reports that text is added.
	Edited func(text bool)
	// Preview, if not nil, returns lines about the text that is in the fields now. They are below the fields.
	Preview func() []style.Spans
	// Enter submits the form, and reports whether it is done.
	Enter func() (done bool, e effect.Effect)

	entries []Entry
	at      int
}

// NewForm returns the form with empty fields and the focus on the first one.
func NewForm(f Form) *Form {
	f.entries = make([]Entry, len(f.Labels))
	for i := range f.entries {
		f.entries[i] = NewEntry()
		f.entries[i].Hint, f.entries[i].Hidden = f.Hints[i], f.Hidden == f.Labels[i] && f.Hidden != ""
	}
	f.Focus(0)
	return &f
}

// At returns the field that has the focus.
func (f *Form) At() int { return f.at }

// Value returns the text of a field without leading and trailing blanks.
func (f *Form) Value(field int) string {
	if field >= len(f.entries) {
		return ""
	}
	return strings.TrimSpace(f.entries[field].Value())
}

// SetValue replaces the text of a field.
func (f *Form) SetValue(field int, text string) { f.entries[field].SetValue(text) }

// Focus gives the focus to a field. The first field follows the last.
func (f *Form) Focus(field int) {
	f.entries[f.at].Blur()
	f.entries[f.at].offered = false
	f.at = (field + len(f.entries)) % len(f.entries)
	f.entries[f.at].Focus()
}

// Go is like Focus. With Replace, typed text then replaces the text of the field.
func (f *Form) Go(field int) {
	f.Focus(field)
	if f.Replace {
		f.entries[f.at].Offer(f.entries[f.at].Value())
	}
}

// Fail shows the problem with a field, and gives it the focus.
func (f *Form) Fail(field int, problem string) {
	f.Problem = problem
	f.Focus(field)
}

// Title returns the heading.
func (f *Form) Title() string { return f.Heading }

// Size returns the size for all fields and the lines below them.
func (f *Form) Size(width, _ int) (w, h int) {
	width = min(width, f.Width)
	return width, len(f.entries) + len(f.preview()) + len(f.below(width)) + 1
}

// leastPreview is the least number of lines of a preview, so that the panel keeps its size while the user types.
const leastPreview = 6

func (f *Form) preview() []style.Spans {
	if f.Preview == nil {
		return nil
	}
	var lines []style.Spans
	if f.Problem == "" {
		lines = f.Preview()
	}
	return append(lines, make([]style.Spans, max(leastPreview-len(lines), 0))...)
}

func (f *Form) below(width int) []string {
	if f.Problem != "" {
		return WrapProblem(f.Problem, width)
	}
	if style.Width(f.Note) <= width {
		return []string{f.Note}
	}
	return style.Wrap(f.Note, max(width, 1))
}

// Draw draws the fields, the problem and the help. The focused field is always visible.
func (f *Form) Draw(b *style.Block) (cursor *tea.Cursor) {
	below := f.below(b.Width())
	reserved := len(below) + 1
	first := max(0, min(f.at, len(f.entries)-max(b.Room()-reserved, 1)))
	for i := first; i < len(f.entries) && b.Room() > reserved || i == first; i++ {
		if c := f.drawField(b.Line(style.Plain), i, i-first); c != nil {
			cursor = c
		}
	}
	preview := f.preview()
	for _, spans := range preview[:min(len(preview), max(b.Room()-reserved, 0))] {
		b.Line(style.Plain).PutSpans(spans)
	}
	role := style.Muted
	if f.Problem != "" {
		role = style.Warning
	}
	for _, line := range below {
		b.Put(role, line)
	}
	b.Put(style.Faint, f.Keys)
	return cursor
}

func (f *Form) drawField(l *style.Line, field, y int) *tea.Cursor {
	mark, role := "  ", style.Muted
	if field == f.at {
		mark, role = "❯ ", style.Name
	}
	l.Put(style.Accent, mark)
	l.PutLeft(role, f.Labels[field], f.LabelWidth)
	return f.entries[field].Draw(l, y)
}

// Press edits a field, moves between fields, submits or closes.
func (f *Form) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "tab", "down":
		f.Go(f.at + 1)
	case "shift+tab", "up":
		f.Go(f.at - 1)
	case "enter":
		return f.Enter()
	default:
		return false, f.take(msg, msg.Text != "")
	}
	return false, nil
}

// Paste adds text to the focused field.
func (f *Form) Paste(msg tea.PasteMsg) effect.Effect { return f.take(msg, true) }

func (f *Form) take(msg tea.Msg, text bool) effect.Effect {
	f.Problem = ""
	if f.Edited != nil {
		f.Edited(text)
	}
	return f.entries[f.at].Take(msg)
}

// Prompt is a panel with one input line.
type Prompt struct {
	Title, Hint string
	// Value is the last value. Typed text replaces it; a key that moves or deletes edits it.
	Value string
	// Preview, if not nil, returns lines about the trimmed text during typing.
	Preview func(typed string) []style.Spans
	// Enter gets the trimmed text. If it returns a problem, a sentence, the prompt shows it and stays open.
	Enter func(typed string) (e effect.Effect, problem string)
}

// Ask opens the prompt.
func (p Prompt) Ask() effect.Effect {
	f := NewForm(Form{Heading: p.Title, Note: p.Hint, Keys: "↵ done · Esc cancels", Width: 72, Labels: []string{""},
		Hints: []string{""}, Replace: true})
	f.Enter = func() (done bool, e effect.Effect) {
		e, problem := p.Enter(f.Value(0))
		if problem != "" {
			f.Fail(0, problem)
		}
		return problem == "", e
	}
	if p.Preview != nil {
		f.Preview = func() []style.Spans { return p.Preview(f.Value(0)) }
	}
	f.SetValue(0, p.Value)
	f.Go(0)
	return effect.Show{Panel: f}
}

const longestProblem = 3

// WrapProblem wraps a problem to a width.
func WrapProblem(problem string, width int) []string {
	lines := style.Wrap("✗ "+Typed(problem), max(width, 1))
	return lines[:min(len(lines), longestProblem)]
}
