package style

import "strings"

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
