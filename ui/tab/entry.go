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

// Entry is a line of text input. Create one with NewEntry.
type Entry struct {
	// Hint is drawn while the line is empty.
	Hint string
	// Hidden draws a dot for each character.
	Hidden bool
	input  textinput.Model
	// offered reports that the text has not been edited since Offer.
	offered bool
}

// maxEntry limits the characters of a line.
const maxEntry = 1000

// longestPaste limits the bytes of a paste that are read. It is more than fits into a line.
const longestPaste = 64 << 10

// NewEntry returns an empty line without the focus.
func NewEntry() Entry {
	input := textinput.New()
	input.Prompt = ""
	input.CharLimit = maxEntry
	// The terminal's cursor blinks without messages to the program.
	input.SetVirtualCursor(false)
	return Entry{input: input}
}

// Focused reports whether the line has the focus.
func (e *Entry) Focused() bool { return e.input.Focused() }

// Focus gives the focus to the line.
func (e *Entry) Focus() { e.input.Focus() }

// Blur removes the focus.
func (e *Entry) Blur() { e.input.Blur() }

// Value returns the text.
func (e *Entry) Value() string { return e.input.Value() }

// SetValue replaces the text.
func (e *Entry) SetValue(s string) {
	e.offered = false
	e.input.SetValue(s)
	e.input.CursorEnd()
}

// Offer sets a suggested text. Typed text replaces it, so that a new quantity is not appended to an old one.
func (e *Entry) Offer(s string) {
	e.SetValue(s)
	e.offered = s != ""
}

// Take edits the line with a key or a paste, and warns if the paste was truncated.
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
			told = effect.Warn("A line has at most 1,000 characters. The end of the pasted text was dropped.")
		}
		msg = m
	case tea.KeyPressMsg:
		// Without this check the library reads beyond the end of the text. See docs/library-defects.md.
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

// Draw appends the input to l so that its end is visible, and returns the cursor if it has the focus.
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

// Typed returns the visible form of a text that was typed or pasted.
func Typed(text string) string { return strings.Map(visible, text) }

// visible replaces invisible characters and characters that change the direction. It keeps joiners and
// variation selectors.
func visible(r rune) rune {
	const nonJoiner, joiner, asText, asPicture = 0x200c, 0x200d, 0xfe0e, 0xfe0f
	switch {
	case r < 0xad, r == nonJoiner, r == joiner, r == asText, r == asPicture,
		unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return r
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return utf8.RuneError
	}
	return r
}
