package style

import (
	"image/color"
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"

	must "tonne/model/musttest"
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
					got := contrast(s.fore, back)
					must.Hold(t, s.fore == 0 || got >= want, "mode", mode, role, state, s.fore, back, got, want)
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
			other, ok := seen[c]
			must.Hold(t, !ok, "mode", mode, role, other, c)
			seen[c] = role
		}
		for _, grey := range []colour{p.selected, p.resting, p.roles[Muted].fore, p.roles[Faint].fore, p.roles[Border].fore} {
			r, g, b := reduced(grey).rgb()
			must.Hold(t, r == g && g == b, "mode", mode, grey, reduced(grey))
		}
	}
}

func TestMonoUsesNoColour(t *testing.T) {
	t.Parallel()
	for state := range rowStates {
		for role := range roles {
			s := palettes[Mono].style(role, state)
			must.Hold(t, s.fore == 0 && s.back == 0, "role", role, state)
		}
	}
	for role := range roles {
		for _, state := range []RowState{Selected, Selected | Stale} {
			s := palettes[Mono].style(role, state)
			must.Hold(t, s.invert != palettes[Mono].roles[role].invert && !s.faint, "the ground of a selected row", role, s)
		}
	}
	normal, selected := palettes[Mono].style(Text, Plain), palettes[Mono].style(Text, Selected)
	must.Hold(t, normal != selected, "the selected row looks like any other")
}

func TestChangedValueIsMarkedInEveryModeAndRole(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Dark, Light, Mono} {
		theme := NewTheme(mode)
		for state := range rowStates {
			for role := range roles {
				must.Hold(t, role == Link || theme.start[state][0][role] != theme.start[state][1][role],
					"mode", mode, role, state)
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
			r, g, b := reduced(s.fore).rgb()
			must.Hold(t, max(r, g, b)-min(r, g, b) <= 10, "mode", mode, role, s.fore, reduced(s.fore))
		}
	}
	for _, c := range []colour{0, 0x909399, 0xffffff, 0x010101} {
		must.Equal(t, c.towards(c), c)
	}
}

func TestAnyValueOfNoColorDisablesColour(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"", "auto", "dark", "light", "mono"} {
		b := NewBackground(theme, "yes")
		must.Hold(t, !b.Auto && b == NewBackground("mono", ""), "NO_COLOR=yes with the theme", theme, b)
	}
}
