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
	// Hint is drawn while nothing is typed.
	Hint string
	// Hidden draws a dot for each character.
	Hidden bool
	input  textinput.Model
	// offered says that the text is still what was offered.
	offered bool
}

// maxEntry is the most characters of a line.
const maxEntry = 1000

// longestPaste is how much of a paste is looked at, in bytes: more than a line takes.
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

// Focus gives the line the keys.
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

// Offer shows what was typed last. Text replaces it: an old quantity with a new one behind it is wrong.
func (e *Entry) Offer(s string) {
	e.SetValue(s)
	e.offered = s != ""
}

// Take edits the line with a key or a paste, and tells if there is no room for all of a paste.
func (e *Entry) Take(msg tea.Msg) (told effect.Effect) {
	pressed, isKey := msg.(tea.KeyPressMsg)
	if e.offered && (!isKey || pressed.Text != "") {
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
		// The library's fields read beyond the end of the text otherwise. See docs/upstream.md.
		if key.Matches(m, textinput.DefaultKeyMap().DeleteWordForward) {
			e.deleteWord()
			return nil
		}
	}
	e.input, _ = e.input.Update(msg)
	return told
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

// Draw puts the line behind what is there, with its end in sight, and returns the cursor if it has the focus.
func (e *Entry) Draw(l *style.Line, y int) (cursor *tea.Cursor) {
	role, typed := style.Text, []rune(Typed(e.Value()))
	switch {
	case e.Hidden:
		typed = []rune(strings.Repeat("•", len(typed)))
	case e.offered:
		role = style.Muted
	}
	x, room := l.Used(), l.Room()-1
	at := min(e.input.Position(), len(typed))
	from := sort.Search(at, func(from int) bool { return style.Width(string(typed[from:at])) < room })
	if e.Focused() {
		cursor = tea.NewCursor(x+style.Width(string(typed[from:at])), y)
	}
	if e.Hint != "" && len(typed) == 0 {
		l.Put(style.Faint, e.Hint)
		return cursor
	}
	l.PutLeft(role, string(typed[from:]), max(room, 0))
	return cursor
}

// Typed returns what is drawn for a text that was typed or pasted.
func Typed(text string) string { return strings.Map(visible, text) }

// visible returns what is drawn for a character: a mark if it shows nothing or turns the direction.
// Those that join or vary their neighbours stay.
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
