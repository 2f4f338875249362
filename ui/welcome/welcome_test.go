package welcome

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	must "tonne/model/musttest"
	"tonne/ui/style"
	"tonne/ui/suspend"
	"tonne/ui/uitest"
)

// visitor simulates a user of the first screen, with the key "right".
type visitor struct {
	uitest.Screen
	s    *screen
	work tea.Cmd
}

func visit(t testing.TB, address string) *visitor {
	t.Helper()
	v := &visitor{}
	v.s = newScreen(t.Context(), Options{
		Address: address, Background: style.NewBackground("dark", ""),
		CheckAddress: func(address string) string {
			if !strings.HasPrefix(address, "https://") {
				return fmt.Sprintf("The address %q does not begin with https.", address)
			}
			return ""
		},
		Connect: func(_ context.Context, address, key string) *Problem {
			switch {
			case address == "https://down.example":
				return &Problem{Text: "The service cannot be reached. Check the address."}
			case key != "right":
				return &Problem{Text: "The service does not accept the key (401). Type or paste it again.", KeyRefused: true}
			}
			return nil
		},
	})
	v.Screen = uitest.Screen{T: t, Text: func() string { return ansi.Strip(v.s.View().Content) }}
	v.FrameAt(80, 24)
	return v
}

func (v *visitor) send(msg tea.Msg) {
	_, v.work = v.s.Update(msg)
}

// FrameAt changes the size of the terminal and returns the frame.
func (v *visitor) FrameAt(width, height int) string {
	v.send(tea.WindowSizeMsg{Width: width, Height: height})
	return v.s.View().Content
}

// Press presses keys. "answer" lets what is under way come to its end.
func (v *visitor) Press(names ...string) {
	v.T.Helper()
	for _, name := range names {
		switch {
		case name != "answer":
			v.send(uitest.Stroke(name))
		case v.work == nil:
			v.T.Fatal("nothing is under way")
		default:
			v.send(v.work())
		}
	}
}

// Reply is not used.
func (v *visitor) Reply(string) string { return "" }

// Last is not used.
func (v *visitor) Last() (said, copied string) { return "", "" }

func (v *visitor) types(text string) { v.Press(strings.Split(text, "")...) }

// Users of the dashboard know where to look: the name and the page above, the keys in the last line, on both
// pages and at any size.
func TestFirstScreenFitsEverySize(t *testing.T) {
	t.Parallel()
	for address, keys := range map[string]string{"": " ↑ ↓ choose   ↵ go on   Esc q quit",
		"https://market.example": " ↵ go on   Tab the other field   Esc back   Ctrl-c quit"} {
		v := visit(t, address)
		for _, size := range [][2]int{{60, 15}, {80, 24}, {240, 70}} {
			v.FrameAt(size[0], size[1])
			lines := strings.Split(v.Text(), "\n")
			must.Hold(t, strings.HasPrefix(lines[0], " ◆ tonne   ") && strings.HasPrefix(lines[len(lines)-1], keys),
				size, lines[0], lines[len(lines)-1])
		}
		v.types("a key of some length")
		v.s.form.Problem = "The service does not accept the key (401). Type or paste it again."
		for width := 1; width < 130; width += 3 {
			for height := 1; height < 40; height += 3 {
				uitest.Exact(t, v.FrameAt(width, height), width, height)
				c := v.s.View().Cursor
				must.Hold(t, c == nil || c.X < width && c.Y < height, width, height, c)
			}
		}
	}
}

var actions = uitest.Actions{
	"pastes":    func(v *visitor, text string) { v.send(tea.PasteMsg{Content: text}) },
	"golden":    func(v *visitor, name string) { uitest.Golden(v.T, name, v.s.View().Content) },
	"choseDemo": func(v *visitor) { v.chosen(Choice{Demo: true}) },
	"chose":     func(v *visitor, address, key string) { v.chosen(Choice{Address: address, Key: key}) },
	"left": func(v *visitor) {
		must.Hold(v.T, v.work != nil && v.s.end == ErrLeft, "the key does not leave")
	},
	"terminalLost": func(v *visitor) {
		gone := errors.New("no terminal")
		v.send(suspend.Back{Err: gone})
		must.Hold(v.T, v.work != nil && v.work() == tea.Quit() && errors.Is(v.s.end, gone), "it ends with", v.s.end)
	},
	"typesBeforeAnswer": func(v *visitor, text string) {
		try := v.work
		v.types(text)
		v.send(try())
	},
	"escBeforeAnswer": func(v *visitor) {
		late := v.work
		v.Press("esc")
		v.send(late())
		must.Hold(v.T, v.s.end != nil, "a cancelled attempt connects")
	},
}

func (v *visitor) chosen(want Choice) {
	v.T.Helper()
	must.Hold(v.T, v.s.end == nil && v.s.choice == want, "the choice", v.s.choice, v.s.end, want)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	uitest.Play(t, "choose", actions, func(t testing.TB) *visitor { return visit(t, "") })
	uitest.Play(t, "key", actions, func(t testing.TB) *visitor { return visit(t, "https://market.example") })
}
