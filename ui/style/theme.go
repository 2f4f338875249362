package style

import (
	"fmt"
	"strings"
)

// Mode says what a theme is made for.
type Mode uint8

const (
	Dark  Mode = iota // terminals with a dark background
	Light             // terminals with a light background
	Mono              // no colour
)

// Theme holds the styles of a mode, ready to be written. It is safe to share.
type Theme struct {
	// start holds the sequence of each style, without and with the mark of a changed value; bare says
	// whether its empty cells look as in blank, the sequence of empty cells.
	start [rowStates][2][roles]string
	bare  [rowStates][2][roles]bool
	blank [rowStates]string
}

const end = "\x1b[m"

// NewTheme prepares the styles of a mode.
func NewTheme(mode Mode) *Theme {
	t, p := &Theme{}, palettes[mode]
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

type style struct {
	fore, back                     colour
	bold, faint, underline, invert bool
}

func (s style) sequence() string {
	var b strings.Builder
	b.WriteString("\x1b[")
	separator := "0;"
	set := func(on bool, code string, colours ...colour) {
		if on {
			b.WriteString(separator + code)
			separator = ";"
			for _, c := range colours {
				red, green, blue := c.rgb()
				fmt.Fprintf(&b, "%d;%d;%d", red, green, blue)
			}
		}
	}
	set(s.bold, "1")
	set(s.faint, "2")
	set(s.underline, "4")
	set(s.invert, "7")
	set(s.fore != 0, "38;2;", s.fore)
	set(s.back != 0, "48;2;", s.back)
	b.WriteByte('m')
	return b.String()
}

// Role is the meaning of a piece of text. Each has one style.
type Role uint8

const (
	Text    Role = iota // anything that has no other role: the colour of the terminal
	Muted               // labels, and what is less important
	Faint               // dashes that stand for nothing, and hints
	Name                // the name of a thing: bold
	Strong              // the price to act on
	Accent              // the product itself, and what is fine
	Paid                // what was last paid, with a ★
	Warning             // dearer and worse, with a ▲, ⚠ or ✗
	Cheaper             // cheaper, with a ▼
	Heading             // column titles and the titles of sections
	Link                // addresses that can be opened
	Tab                 // the filled label of the tab that is shown
	Key                 // keys that can be pressed
	Border              // thin lines
	Bar                 // bars of depth
	Alarm               // the filled label of a place where mistakes cost money
	Found               // the part of a text that a filter looks for
	roles
)

// RowState is the state of a whole line. States can be combined.
type RowState uint8

const (
	Plain     RowState = 0      // a line like any other
	Selected  RowState = 1 << 0 // the line of the cursor
	Resting   RowState = 1 << 1 // the line of a cursor whose pane does not have the focus
	Stale     RowState = 1 << 2 // data that is older than it should be
	rowStates RowState = 1 << 3
)

// Background decides how to draw: as the person or the terminal says.
type Background struct {
	// Auto says that the terminal decides; Dark is what it said.
	Auto, Dark bool
	fixed      Mode
}

// NewBackground returns the background of a theme: dark, light, mono, or else what the terminal says.
// noColor is the value of NO_COLOR, which comes before the theme.
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

// colour is 0xRRGGBB. Zero is the terminal's own.
type colour uint32

func (c colour) rgb() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

func (c colour) towards(other colour) colour {
	const high = 0xfefefe
	return c&other + (c^other)&high>>1
}

type palette struct {
	roles [roles]style
	// selected and resting are backgrounds, stale is the grey that stale text goes towards.
	selected, resting, stale colour
}

// palettes are the modes. The colours are few, and tell amber from blue, never
// red from green, and each keeps its meaning in a terminal of 256 colours.
var palettes = [...]palette{
	Dark: {
		roles: [roles]style{
			Name:    {bold: true},
			Muted:   {fore: 0xa6a8ad},
			Faint:   {fore: 0x909399},
			Strong:  {fore: 0xffffff, bold: true},
			Accent:  {fore: 0x4ed0a4},
			Paid:    {fore: 0xf5cf5c},
			Warning: {fore: 0xff8f1f},
			Cheaper: {fore: 0x5cb8f0},
			Heading: {fore: 0xa6a8ad, bold: true},
			Link:    {fore: 0x5cb8f0, underline: true},
			Tab:     {fore: 0x10231c, back: 0x4ed0a4, bold: true},
			Key:     {fore: 0xffffff, bold: true},
			Border:  {fore: 0x5a5f6b},
			Bar:     {fore: 0x2a8c66},
			Alarm:   {fore: 0x201000, back: 0xf0883e, bold: true},
			Found:   {fore: 0x4ed0a4, underline: true},
		},
		selected: 0x303a44, resting: 0x24292f, stale: 0x909399,
	},
	Light: {
		roles: [roles]style{
			Name:    {bold: true},
			Muted:   {fore: 0x4c5363},
			Faint:   {fore: 0x60656f},
			Strong:  {fore: 0x050505, bold: true},
			Accent:  {fore: 0x006644},
			Paid:    {fore: 0x6b5a00},
			Warning: {fore: 0xa34a00},
			Cheaper: {fore: 0x0a589c},
			Heading: {fore: 0x4c5363, bold: true},
			Link:    {fore: 0x0a589c, underline: true},
			Tab:     {fore: 0xffffff, back: 0x006644, bold: true},
			Key:     {fore: 0x050505, bold: true},
			Border:  {fore: 0xa0a4ab},
			Bar:     {fore: 0x3f9c80},
			Alarm:   {fore: 0xffffff, back: 0xa83200, bold: true},
			Found:   {fore: 0x006644, underline: true},
		},
		selected: 0xd9e4ea, resting: 0xeef0f2, stale: 0x60656f,
	},
	Mono: {
		roles: [roles]style{
			Muted:   {faint: true},
			Faint:   {faint: true},
			Name:    {bold: true},
			Strong:  {bold: true},
			Accent:  {bold: true},
			Paid:    {bold: true},
			Heading: {bold: true},
			Link:    {underline: true},
			Tab:     {bold: true, invert: true},
			Key:     {bold: true},
			Border:  {faint: true},
			Alarm:   {bold: true, invert: true},
			Found:   {underline: true},
		},
	},
}

func (p *palette) style(role Role, state RowState) style {
	if role == Faint && state&Selected != 0 {
		// Faint is too near to that background.
		role = Muted
	}
	s := p.roles[role]
	ground := p.ground(state)
	if s.back == 0 {
		s.back = ground.back
	}
	s.invert = s.invert != ground.invert
	if state&Stale == 0 {
		return s
	}
	switch {
	case p.stale == 0:
		s.faint = true
	case s.fore == 0:
		s.fore = p.stale
	default:
		s.fore = s.fore.towards(p.stale)
	}
	return s
}

func (p *palette) ground(state RowState) style {
	switch {
	case state&Selected != 0 && p.selected == 0:
		return style{invert: true}
	case state&Selected != 0:
		return style{back: p.selected}
	case state&Resting != 0:
		return style{back: p.resting}
	}
	return style{}
}
