package style

import "fmt"

// colour is 0xRRGGBB. Zero is the terminal's own.
type colour uint32

func (c colour) rgb() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

func (c colour) numbers() string {
	r, g, b := c.rgb()
	return fmt.Sprintf("%d;%d;%d", r, g, b)
}

// towards returns the colour half way to another: of each of the three parts
// the bits that both have, and half of those that one has.
func (c colour) towards(other colour) colour {
	const high = 0xfefefe
	return c&other + (c^other)&high>>1
}

type palette struct {
	roles [roles]style
	// selected and resting are the backgrounds of those states, stale is the
	// grey that stale text goes towards.
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
