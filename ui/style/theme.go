package style

import "strings"

// Mode says what a theme is made for.
type Mode uint8

const (
	// Dark is for terminals with a dark background.
	Dark Mode = iota
	// Light is for terminals with a light background.
	Light
	// Mono uses no colour.
	Mono
)

// Theme holds the styles of a mode, ready to be written. It is safe to share.
type Theme struct {
	mode Mode
	// start holds the sequence that begins each style, with and without the
	// mark of a changed value; bare says whether empty cells look in it as they
	// do in blank, which is the sequence of empty cells.
	start [rowStates][2][roles]string
	bare  [rowStates][2][roles]bool
	blank [rowStates]string
}

// end resets the style.
const end = "\x1b[m"

// NewTheme prepares the styles of a mode.
func NewTheme(mode Mode) *Theme {
	t := &Theme{mode: mode}
	p := palettes[mode]
	for state := range rowStates {
		ground := p.ground(state)
		t.blank[state] = ground.sequence()
		for role := range roles {
			s := p.style(role, state)
			t.start[state][0][role] = s.sequence()
			t.bare[state][0][role] = s.back == ground.back && s.invert == ground.invert && !s.underline
			s.bold, s.underline = true, true
			t.start[state][1][role] = s.sequence()
		}
	}
	return t
}

// Mode returns the mode that the theme was made for.
func (t *Theme) Mode() Mode { return t.mode }

// Paint returns s in the style of a role. Its width is not changed, nor is
// anything in it made safe: a Line does both.
func (t *Theme) Paint(role Role, s string) string {
	return t.start[Plain][0][role] + s + end
}

// style is what one cell looks like. A colour that is zero is the terminal's.
type style struct {
	fore, back                     colour
	bold, faint, underline, invert bool
}

func (s style) sequence() string {
	var b strings.Builder
	b.WriteString("\x1b[")
	separator := "0;"
	set := func(on bool, code string) {
		if on {
			b.WriteString(separator + code)
			separator = ";"
		}
	}
	set(s.bold, "1")
	set(s.faint, "2")
	set(s.underline, "4")
	set(s.invert, "7")
	set(s.fore != 0, "38;2;"+s.fore.numbers())
	set(s.back != 0, "48;2;"+s.back.numbers())
	b.WriteByte('m')
	return b.String()
}

// Role is the meaning of a piece of text. Each has one style.
type Role uint8

const (
	// Text is anything that has no other role: the colour of the terminal.
	Text Role = iota
	// Muted is for labels and what stands beside the point.
	Muted
	// Faint is for dashes that stand for nothing, and hints.
	Faint
	// Name is for the name of a thing: bold.
	Name
	// Strong is for the price to act on.
	Strong
	// Accent is for the product itself and for what is fine.
	Accent
	// Paid is for what was last paid. A ★ stands beside it.
	Paid
	// Warning is for dearer and for worse. A ▲, ⚠ or ✗ stands beside it.
	Warning
	// Cheaper is for cheaper. A ▼ stands beside it.
	Cheaper
	// Heading is for column titles and the titles of sections.
	Heading
	// Link is for addresses that can be opened.
	Link
	// Tab is for the filled label of the tab that is shown.
	Tab
	// Key is for keys that can be pressed.
	Key
	// Border is for thin lines.
	Border
	// Bar is for bars of depth.
	Bar
	// Alarm is the filled label of a place where mistakes cost money.
	Alarm
	// Found is for the part of a text that a filter looks for.
	Found
	roles
)

// RowState is the state of a whole line. States can be combined.
type RowState uint8

const (
	// Plain is a line like any other.
	Plain RowState = 0
	// Selected is the line of the cursor.
	Selected RowState = 1 << 0
	// Resting is the line of a cursor whose pane does not have the focus.
	Resting RowState = 1 << 1
	// Stale is data that is older than it should be.
	Stale     RowState = 1 << 2
	rowStates RowState = 1 << 3
)

// Background decides how to draw: what the person asked for, or what the
// terminal says of its colours.
type Background struct {
	// Auto says that the terminal decides; Dark is what it said.
	Auto, Dark bool
	fixed      Mode
}

// NewBackground returns the background of a theme: dark, light, mono, or
// anything else for what the terminal says. noColor is the value of NO_COLOR:
// any that is not empty comes before the theme.
func NewBackground(theme, noColor string) Background {
	switch {
	case noColor != "" || theme == "mono":
		return Background{fixed: Mono}
	case theme == "light":
		return Background{fixed: Light}
	case theme == "dark":
		return Background{fixed: Dark}
	}
	return Background{Auto: true, Dark: true}
}

// Theme returns the styles for the background.
func (b Background) Theme() *Theme {
	switch {
	case !b.Auto:
		return NewTheme(b.fixed)
	case b.Dark:
		return NewTheme(Dark)
	}
	return NewTheme(Light)
}
