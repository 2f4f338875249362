package style

import (
	"fmt"
	"strings"
)

// Mode is the kind of terminal that a theme is for.
type Mode uint8

const (
	Dark  Mode = iota // terminals with a dark background
	Light             // terminals with a light background
	Mono              // no colour
)

// Theme has the prepared styles of a mode. It is immutable.
type Theme struct {
	// start has the escape sequence of each style, without and with the mark of a changed value. bare means that its
	// empty cells look the same with blank, the sequence of empty cells.
	start [rowStates][2][roles]string
	bare  [rowStates][2][roles]bool
	blank [rowStates]string
}

const end = "\x1b[m"

// NewTheme returns the theme of a mode.
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

// Role is the meaning of a text. Each role has one style.
type Role uint8

const (
	Text     Role = iota // the default, in the colour of the terminal
	Muted                // labels and less important text
	Faint                // dashes for missing values, and hints
	Name                 // the name of a thing: bold
	Strong               // the price to act on
	Accent               // the product, and good results
	Paid                 // the last price paid, with a ★
	Warning              // dearer or worse, with a ▲, ⚠ or ✗
	Cheaper              // cheaper, with a ▼
	Heading              // titles of columns and sections
	Link                 // addresses that can be opened
	Tab                  // the filled label of the current tab
	Key                  // keys that can be pressed
	Border               // thin lines
	Bar                  // bars of the order book's depth
	Alarm                // the filled label PRODUCTION
	Recorded             // the filled banner of a recorded market
	Found                // the part of a text that matches a filter
	roles
)

// RowState is the state of a whole line. States are bits.
type RowState uint8

const (
	Plain     RowState = 0      // no state
	Selected  RowState = 1 << 0 // the line of the cursor
	Resting   RowState = 1 << 1 // the line of the cursor in a pane without the focus
	Stale     RowState = 1 << 2 // data that is too old
	rowStates RowState = 1 << 3
)

// Background chooses the mode, from the user's setting or the terminal.
type Background struct {
	// Auto reports that the terminal decides. Dark is its reply.
	Auto, Dark bool
	fixed      Mode
}

// NewBackground returns the background for the setting theme: dark, light, mono, or any other value for the
// terminal's answer. noColor is the value of NO_COLOR, which overrides theme.
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

// Theme returns the theme for the background.
func (b Background) Theme() *Theme {
	switch {
	case !b.Auto:
		return NewTheme(b.fixed)
	case b.Dark:
		return NewTheme(Dark)
	}
	return NewTheme(Light)
}

// colour is 0xRRGGBB. Zero is the terminal's default.
type colour uint32

func (c colour) rgb() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

func (c colour) towards(other colour) colour {
	const high = 0xfefefe
	return c&other + (c^other)&high>>1
}

type palette struct {
	roles [roles]style
	// selected and resting are backgrounds. stale is the grey that is mixed into stale text.
	selected, resting, stale colour
}

// palettes has the colours of the modes. There are few colours. Their contrast is amber
// and blue, never red and green, and they stay distinct with 256 colours.
var palettes = [...]palette{
	Dark: {
		roles: [roles]style{
			Name:     {bold: true},
			Muted:    {fore: 0xa6a8ad},
			Faint:    {fore: 0x909399},
			Strong:   {fore: 0xffffff, bold: true},
			Accent:   {fore: 0x4ed0a4},
			Paid:     {fore: 0xf5cf5c},
			Warning:  {fore: 0xff8f1f},
			Cheaper:  {fore: 0x5cb8f0},
			Heading:  {fore: 0xa6a8ad, bold: true},
			Link:     {fore: 0x5cb8f0, underline: true},
			Tab:      {fore: 0x10231c, back: 0x4ed0a4, bold: true},
			Key:      {fore: 0xffffff, bold: true},
			Border:   {fore: 0x5a5f6b},
			Bar:      {fore: 0x2a8c66},
			Alarm:    {fore: 0x201000, back: 0xf0883e, bold: true},
			Recorded: {fore: 0x1c1030, back: 0xb79cf0, bold: true},
			Found:    {fore: 0x4ed0a4, underline: true},
		},
		selected: 0x303a44, resting: 0x24292f, stale: 0x909399,
	},
	Light: {
		roles: [roles]style{
			Name:     {bold: true},
			Muted:    {fore: 0x4c5363},
			Faint:    {fore: 0x60656f},
			Strong:   {fore: 0x050505, bold: true},
			Accent:   {fore: 0x006644},
			Paid:     {fore: 0x6b5a00},
			Warning:  {fore: 0xa34a00},
			Cheaper:  {fore: 0x0a589c},
			Heading:  {fore: 0x4c5363, bold: true},
			Link:     {fore: 0x0a589c, underline: true},
			Tab:      {fore: 0xffffff, back: 0x006644, bold: true},
			Key:      {fore: 0x050505, bold: true},
			Border:   {fore: 0xa0a4ab},
			Bar:      {fore: 0x3f9c80},
			Alarm:    {fore: 0xffffff, back: 0xa83200, bold: true},
			Recorded: {fore: 0xffffff, back: 0x5b3a9e, bold: true},
			Found:    {fore: 0x006644, underline: true},
		},
		selected: 0xd9e4ea, resting: 0xeef0f2, stale: 0x60656f,
	},
	Mono: {
		roles: [roles]style{
			Muted:    {faint: true},
			Faint:    {faint: true},
			Name:     {bold: true},
			Strong:   {bold: true},
			Accent:   {bold: true},
			Paid:     {bold: true},
			Heading:  {bold: true},
			Link:     {underline: true},
			Tab:      {bold: true, invert: true},
			Key:      {bold: true},
			Border:   {faint: true},
			Alarm:    {bold: true, invert: true},
			Recorded: {bold: true, invert: true},
			Found:    {underline: true},
		},
	},
}

func (p *palette) style(role Role, state RowState) style {
	if role == Faint && state&Selected != 0 {
		// Faint has too little contrast with that background.
		role = Muted
	}
	s := p.roles[role]
	ground := p.ground(state)
	if s.back == 0 {
		s.back = ground.back
	}
	s.invert = s.invert != ground.invert
	if ground.invert {
		// Terminals dim the filled cells of faint text, so that the line would be marked only in parts.
		s.faint = false
		return s
	}
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
