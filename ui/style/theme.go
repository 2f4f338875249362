package style

import "strings"

// Role is the meaning of a piece of text. Each has one style.
type Role uint8

// The roles.
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
	// Product is for the product itself and for what is fine.
	Product
	// Paid is for what was last paid. A ★ stands beside it.
	Paid
	// Dearer is for dearer and for worse. A ▲, ⚠ or ✗ stands beside it.
	Dearer
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
	// Rule is for thin lines.
	Rule
	// Bar is for bars of depth.
	Bar
	// Alarm is the filled label of a place where mistakes cost money.
	Alarm
	roles
)

// Look is the state of a whole line. Looks can be combined.
type Look uint8

// The looks of a line.
const (
	// Plain is a line like any other.
	Plain Look = 0
	// Selected is the line of the cursor.
	Selected Look = 1 << 0
	// Resting is the line of a cursor whose pane does not have the focus.
	Resting Look = 1 << 1
	// Stale is data that is older than it should be.
	Stale Look = 1 << 2
	looks Look = 1 << 3
)

// Mode says what a theme is made for.
type Mode uint8

// The modes.
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
	start [looks][2][roles]string
	bare  [looks][2][roles]bool
	blank [looks]string
}

// end resets the style.
const end = "\x1b[m"

// NewTheme prepares the styles of a mode.
func NewTheme(mode Mode) *Theme {
	t := &Theme{mode: mode}
	p := palettes[mode]
	for look := range looks {
		ground := p.ground(look)
		t.blank[look] = ground.sequence()
		for role := range roles {
			s := p.style(role, look)
			t.start[look][0][role] = s.sequence()
			t.bare[look][0][role] = s.back == ground.back && s.invert == ground.invert && !s.underline
			s.bold, s.underline = true, true
			t.start[look][1][role] = s.sequence()
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

// sequence returns the escape sequence that sets the style and nothing else.
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
