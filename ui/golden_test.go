package ui

import (
	"fmt"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/ui/uitest"
)

var sizes = [...][2]int{{80, 24}, {120, 36}, {160, 45}}

// goldens lead to the screens that are compared with files: as text in each size, and with their
// colours in each theme.
var goldens = map[string]struct {
	show   func(*robot)
	sizes  [][2]int
	themes []string
}{
	"market":      {show: func(*robot) {}},
	"inventory":   {show: (*robot).ShowInventory, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"dark", "light", "mono"}},
	"retirements": {show: (*robot).ShowRetirements},
	"retire-review": {
		show: (*robot).Reviews, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"light", "mono"},
	},
	"basket": {show: (*robot).ask, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"dark", "light", "mono"}},
	"basket-form": {show: func(r *robot) {
		r.ask()
		r.Press("B", "tab", "tab", "tab", "4", "0", "x", "enter")
	}, sizes: [][2]int{{80, 24}}},
	"views": {show: func(r *robot) {
		r.hear(session.ChoicesEvent{Choices: savedViews})
		r.Command("view")
	}, sizes: [][2]int{{80, 24}, {120, 36}}},
	"desk":    {show: (*robot).showDesk, sizes: [][2]int{{160, 45}, {200, 60}, {240, 70}}},
	"history": {show: func(r *robot) { r.hear(whatFired(3)); r.Press("w") }, sizes: append(sizes[:], [2]int{200, 60}), themes: []string{"dark", "light", "mono"}},
}

func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	for name, golden := range goldens {
		draw := func(file, theme string, colours bool, width, height int) {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				r := newRobotWith(t, width, height, func(o *Options) {
					o.Theme = theme
					if name == "retire-review" {
						o.Retire = &carriesOut{}
					}
				})
				if name == "retire-review" {
					r.run(r.app.Init())
				}
				r.settle()
				golden.show(r)
				uitest.Exact(t, r.frame(), width, height)
				frame := r.frame()
				if colours {
					frame = strings.ReplaceAll(frame, "\x1b", "␛")
				}
				uitest.Golden(t, file, frame)
			})
		}
		if golden.sizes == nil {
			golden.sizes = sizes[:]
		}
		for _, size := range golden.sizes {
			draw(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), "dark", false, size[0], size[1])
		}
		for _, theme := range golden.themes {
			draw(name+"-"+theme, theme, true, 120, 36)
		}
	}
}
