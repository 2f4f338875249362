package style

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
