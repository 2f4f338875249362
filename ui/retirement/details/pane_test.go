package details

import (
	"strings"
	"testing"

	"tonne/ui/style"
	"tonne/ui/tab"
)

func TestTextIsNotWrappedBeforeFirstDraw(t *testing.T) {
	t.Parallel()
	p := New(&tab.View{Theme: style.NewTheme(style.Mono)}, nil)
	p.Show(nil, 0)
	p.Remeasure()
	if n := len(p.lines); n > 0 {
		t.Errorf("%d lines before the first draw", n)
	}
	if text := p.Draw(60, 10, false); !strings.Contains(text, "No retirement requests yet") {
		t.Errorf("drawn: %q", text)
	}
}
