package style_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/style"
)

func TestAnyValueOfNoColorDisablesColour(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"", "auto", "dark", "light", "mono"} {
		b := style.NewBackground(theme, "yes")
		must.Hold(t, !b.Auto && b == style.NewBackground("mono", ""), "NO_COLOR=yes with the theme", theme, b)
	}
}
