package ui

import "tonne/ui/style"

// background decides how to draw: what the person asked for, or what the
// terminal says of its colours.
type background struct {
	auto, dark bool
	fixed      style.Mode
}

// newBackground obeys NO_COLOR before anything else: any value that is not
// empty counts.
func newBackground(o Options) background {
	switch {
	case o.Getenv("NO_COLOR") != "" || o.Theme == "mono":
		return background{fixed: style.Mono}
	case o.Theme == "light":
		return background{fixed: style.Light}
	case o.Theme == "dark":
		return background{fixed: style.Dark}
	}
	return background{auto: true, dark: true}
}

func (b background) mode() style.Mode {
	switch {
	case !b.auto:
		return b.fixed
	case b.dark:
		return style.Dark
	}
	return style.Light
}
