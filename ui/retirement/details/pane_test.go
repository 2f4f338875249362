package details

import (
	"strings"
	"testing"

	"tonne/ui/style"
	"tonne/ui/tab"
)

// A tab that nobody opened used to keep a line for each character of it.
func TestNothingIsWrappedBeforeThePaneHasAWidth(t *testing.T) {
	t.Parallel()
	p := New(&tab.View{Theme: style.NewTheme(style.Mono)}, nil)
	p.Show(nil, 0)
	p.Remeasure()
	if n := len(p.lines); n > 0 {
		t.Errorf("there are %d lines that have no width", n)
	}
	if text := p.Draw(60, 10, false); !strings.Contains(text, "No retirement requests yet") {
		t.Errorf("what is drawn is %q", text)
	}
}
