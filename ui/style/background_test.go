package style_test

import (
	"testing"

	"tonne/ui/style"
)

func TestAnyValueOfNoColorDisablesColour(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"", "auto", "dark", "light", "mono"} {
		if b := style.NewBackground(theme, "yes"); b.Auto || b != style.NewBackground("mono", "") {
			t.Errorf("NO_COLOR=yes with the theme %q is %+v", theme, b)
		}
	}
}
