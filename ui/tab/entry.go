package tab

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Entry is a line that a person types in. NewEntry makes one.
type Entry struct {
	input textinput.Model
	// offered says that the text is still what was offered.
	offered bool
}

// maxEntry is the most that can be typed or pasted into one line, in
// characters.
const maxEntry = 1000

// longestPaste is how much of what was pasted is looked at, in bytes: more
// than a line takes, whatever is left out of it.
const longestPaste = 64 << 10

// NewEntry returns an empty line that does not have the focus.
func NewEntry() Entry {
	input := textinput.New()
	input.Prompt = ""
	input.CharLimit = maxEntry
	// The terminal's own cursor does not blink by messages.
	input.SetVirtualCursor(false)
	return Entry{input: input}
}

// Focused reports whether keys go to the line.
func (e *Entry) Focused() bool { return e.input.Focused() }

// Focus gives the line the keys, Blur takes them away.
func (e *Entry) Focus() { e.input.Focus() }

// Blur takes the keys away.
func (e *Entry) Blur() { e.input.Blur() }

// Value returns what was typed.
func (e *Entry) Value() string { return e.input.Value() }

// SetValue replaces what was typed.
func (e *Entry) SetValue(s string) {
	e.offered = false
	e.input.SetValue(s)
	e.input.CursorEnd()
}

// Offer shows what was typed the last time. Text that is typed or pasted replaces
// it: an old quantity with a new one after it is a wrong one.
func (e *Entry) Offer(s string) {
	e.SetValue(s)
	e.offered = s != ""
}

// Take edits the line with a key or a paste. It says of a paste that the line has
// no room for all of it.
func (e *Entry) Take(msg tea.Msg) (told effect.Effect) {
	if e.offered && isText(msg) {
		e.SetValue("")
	}
	e.offered = false
	switch m := msg.(type) {
	case tea.PasteMsg:
		if len(m.Content) > longestPaste {
			m.Content = strings.ToValidUTF8(m.Content[:longestPaste], "")
		}
		if e.Focused() && utf8.RuneCountInString(m.Content) > maxEntry-utf8.RuneCountInString(e.Value()) {
			told = effect.Warn("A line takes 1,000 characters: the end of what was pasted is left out.")
		}
		msg = m
	case tea.KeyPressMsg:
		if deletesWord(m) {
			e.deleteWord()
			return nil
		}
	}
	e.input, _ = e.input.Update(msg)
	return told
}

func isText(msg tea.Msg) bool {
	key, pressed := msg.(tea.KeyPressMsg)
	return !pressed || key.Text != ""
}

// deletesWord reports whether a key deletes the word behind the cursor. The
// library's own fields must not get it: they read beyond the end of the text
// where the cursor stands before the last character. See docs/upstream.
func deletesWord(pressed tea.KeyPressMsg) bool {
	return key.Matches(pressed, textinput.DefaultKeyMap().DeleteWordForward)
}

func (e *Entry) deleteWord() {
	if !e.Focused() {
		return
	}
	typed, from := []rune(e.Value()), e.input.Position()
	to := from
	for to < len(typed) && unicode.IsSpace(typed[to]) {
		to++
	}
	for to < len(typed) && !unicode.IsSpace(typed[to]) {
		to++
	}
	e.input.SetValue(string(slices.Delete(typed, from, to)))
	e.input.SetCursor(from)
}

// Draw puts the line behind what is there, as far as there is room, with the
// end in sight. It returns the cursor if the line has the focus.
func (e *Entry) Draw(l *style.Line, y int) *tea.Cursor {
	role := style.Text
	if e.offered {
		role = style.Muted
	}
	return e.draw(role, []rune(Typed(e.input.Value())), l, y)
}

// Typed returns what is drawn for a text that was typed or pasted.
func Typed(text string) string { return strings.Map(visible, text) }

// visible returns what is drawn for a character: a mark if it shows nothing by
// itself, or turns the direction of what follows. Those that join or vary what
// stands beside them stay.
func visible(r rune) rune {
	const nonJoiner, joiner, asText, asPicture = 0x200c, 0x200d, 0xfe0e, 0xfe0f
	switch {
	case r < 0xad, r == nonJoiner, r == joiner, r == asText, r == asPicture, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return r
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return utf8.RuneError
	}
	return r
}

// DrawHidden draws a dot for each character of what must not be seen.
func (e *Entry) DrawHidden(l *style.Line, y int) *tea.Cursor {
	return e.draw(style.Text, []rune(strings.Repeat("•", utf8.RuneCountInString(e.input.Value()))), l, y)
}

func (e *Entry) draw(role style.Role, typed []rune, l *style.Line, y int) *tea.Cursor {
	x, room := l.Used(), l.Room()-1
	at := min(e.input.Position(), len(typed))
	from := sort.Search(at, func(from int) bool { return style.Width(string(typed[from:at])) < room })
	before := string(typed[from:at])
	l.PutLeft(role, string(typed[from:]), max(room, 0))
	if !e.Focused() {
		return nil
	}
	return tea.NewCursor(x+style.Width(before), y)
}

// DrawWithin draws the line in a field of exactly width cells.
func (e *Entry) DrawWithin(l *style.Line, width, y int) (cursor *tea.Cursor) {
	l.Field(width, func() { cursor = e.Draw(l, y) })
	return cursor
}
