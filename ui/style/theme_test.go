package style

import (
	"image/color"
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// contrast returns the contrast ratio of two colours (WCAG 2).
func contrast(a, b colour) float64 {
	light, dark := luminance(a), luminance(b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func luminance(c colour) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b := c.rgb()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// reduced returns the colour on a terminal with 256 colours.
func reduced(c colour) colour {
	r, g, b := c.rgb()
	r2, g2, b2, _ := ansi.Convert256(color.RGBA{r, g, b, 255}).RGBA()
	return colour(r2>>8<<16 | g2>>8<<8 | b2>>8)
}

// grounds are common backgrounds of terminals.
var grounds = map[Mode][]colour{
	Dark:  {0x000001, 0x1e1e2e, 0x282c34},
	Light: {0xffffff, 0xfafafa, 0xeff1f5},
}

func TestTextHasEnoughContrast(t *testing.T) {
	t.Parallel()
	least := map[Role]float64{Border: 1.5, Bar: 2.5}
	for mode, backs := range grounds {
		p := palettes[mode]
		for _, state := range []RowState{Plain, Selected, Resting, Stale, Stale | Selected} {
			for role := range roles {
				want := 4.5
				if l, ok := least[role]; ok {
					want = l
				}
				if state&Stale != 0 {
					want = min(want, 3)
				}
				s := p.style(role, state)
				for _, back := range backs {
					if s.back != 0 {
						back = s.back
					}
					if got := contrast(s.fore, back); s.fore != 0 && got < want {
						t.Errorf("mode %d, role %d, state %d: contrast of %06x on %06x is %.2f, want %v", mode, role, state, s.fore, back, got, want)
					}
				}
			}
		}
	}
}

func TestMeaningsDifferWith256Colours(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Dark, Light} {
		p := palettes[mode]
		seen := make(map[colour]Role)
		for _, role := range []Role{Muted, Strong, Accent, Paid, Warning, Cheaper, Bar} {
			c := reduced(p.roles[role].fore)
			if other, ok := seen[c]; ok {
				t.Errorf("mode %d: roles %d and %d are both %06x", mode, role, other, c)
			}
			seen[c] = role
		}
		for _, grey := range []colour{p.selected, p.resting, p.roles[Muted].fore, p.roles[Faint].fore, p.roles[Border].fore} {
			if r, g, b := reduced(grey).rgb(); r != g || g != b {
				t.Errorf("mode %d: the grey %06x becomes %06x", mode, grey, reduced(grey))
			}
		}
	}
}

func TestMonoUsesNoColour(t *testing.T) {
	t.Parallel()
	for state := range rowStates {
		for role := range roles {
			if s := palettes[Mono].style(role, state); s.fore != 0 || s.back != 0 {
				t.Errorf("role %d, state %d has a colour", role, state)
			}
		}
	}
	if normal, selected := palettes[Mono].style(Text, Plain), palettes[Mono].style(Text, Selected); normal == selected {
		t.Error("the selected row looks like any other")
	}
}

func TestChangedValueIsMarkedInEveryModeAndRole(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Dark, Light, Mono} {
		theme := NewTheme(mode)
		for state := range rowStates {
			for role := range roles {
				if role != Link && theme.start[state][0][role] == theme.start[state][1][role] {
					t.Errorf("mode %d, role %d, state %d: the mark is invisible", mode, role, state)
				}
			}
		}
	}
}

// A stale grey must not look like a colour with a meaning.
func TestStaleGreysStayGrey(t *testing.T) {
	t.Parallel()
	for mode := range grounds {
		p := palettes[mode]
		for _, role := range []Role{Text, Muted, Faint, Heading, Border} {
			s := p.style(role, Stale)
			if r, g, b := reduced(s.fore).rgb(); max(r, g, b)-min(r, g, b) > 10 {
				t.Errorf("mode %d, role %d: %06x is shown as %06x", mode, role, s.fore, reduced(s.fore))
			}
		}
	}
	for _, c := range []colour{0, 0x909399, 0xffffff, 0x010101} {
		if got := c.towards(c); got != c {
			t.Errorf("%06x mixed with itself is %06x", c, got)
		}
	}
}
