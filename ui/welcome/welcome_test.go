package welcome

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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

func visit(t *testing.T, address string) *visitor {
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
	v.size(80, 24)
	return v
}

func (v *visitor) size(width, height int) { v.send(tea.WindowSizeMsg{Width: width, Height: height}) }

func (v *visitor) send(msg tea.Msg) {
	_, v.work = v.s.Update(msg)
}

func (v *visitor) press(codes ...rune) {
	for _, code := range codes {
		msg := tea.KeyPressMsg{Code: code}
		if code >= ' ' && code < 0x7f {
			msg.Text = string(code)
		}
		v.send(msg)
	}
}

func (v *visitor) types(text string) { v.press([]rune(text)...) }

// waits lets what is under way come to its end.
func (v *visitor) waits() {
	v.T.Helper()
	if v.work == nil {
		v.T.Fatal("nothing is under way")
	}
	v.send(v.work())
}

func TestTheFirstScreen(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	uitest.Golden(t, "choose", v.s.View().Content)
	v.press(tea.KeyDown, tea.KeyEnter)
	uitest.Golden(t, "form", v.s.View().Content)
	v.types("https://market.example")
	v.press(tea.KeyEnter)
	v.types("wrong")
	uitest.Golden(t, "filled", v.s.View().Content)
	v.press(tea.KeyEnter)
	v.waits()
	uitest.Golden(t, "refused", v.s.View().Content)
}

func TestARefusedKeyStaysOnItsPageAndEmptiesTheField(t *testing.T) {
	t.Parallel()
	v := visit(t, "https://market.example")
	v.types("wrong")
	v.press(tea.KeyEnter)
	v.Sees("Asking https://market.example …")
	try := v.work
	v.types("lost")
	v.send(try())
	v.Sees("Connect to a marketplace", "does not accept the key", "hidden")
	v.types(" right ")
	v.press(tea.KeyEnter)
	v.waits()
	if v.s.end != nil || v.s.choice != (Choice{Address: "https://market.example", Key: "right"}) {
		t.Errorf("the choice is %+v, %v", v.s.choice, v.s.end)
	}
}

func TestAServiceThatIsNotThereKeepsTheKeyAndAsksForTheAddress(t *testing.T) {
	t.Parallel()
	v := visit(t, "https://down.example")
	v.types("right")
	v.press(tea.KeyEnter)
	v.waits()
	v.Sees("cannot be reached", "•••••")
	for range len("down.example") {
		v.press(tea.KeyBackspace)
	}
	v.types("up.example")
	v.press(tea.KeyEnter)
	v.waits()
	if v.s.choice.Address != "https://up.example" {
		t.Errorf("the choice is %+v, %v", v.s.choice, v.s.end)
	}
}

func TestAnAddressThatCannotBeOneIsToldBeforeTheKey(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	v.press('j', tea.KeyEnter)
	v.types("market")
	v.press(tea.KeyEnter)
	v.Sees(`The address "market" does not begin with https.`)
}

func TestAnAddressThatIsRepeatedHasItsMarks(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	v.press('j', tea.KeyEnter)
	v.send(tea.PasteMsg{Content: "market\u034f"})
	v.press(tea.KeyEnter)
	v.Sees("The address \"market\ufffd\" does not begin with https.")
}

func TestTheKeyIsNeverOnTheScreen(t *testing.T) {
	t.Parallel()
	v := visit(t, "https://market.example")
	v.types("sesame")
	v.SeesNot("ses")
	v.send(tea.PasteMsg{Content: "sesame"})
	v.Sees(strings.Repeat("•", 12))
	v.SeesNot("ses")
}

func TestEscLeadsBackAndLeaves(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	v.press(tea.KeyDown, tea.KeyEnter)
	v.types("q")
	v.Sees("Connect to a marketplace", "  q")
	v.press(tea.KeyEscape)
	v.Sees("No marketplace is configured yet.")
	for _, key := range []rune{'q', tea.KeyEscape} {
		if v.press(key); v.work == nil || v.s.end != ErrLeft {
			t.Errorf("%q does not leave", key)
		}
	}
}

func TestEscEndsATry(t *testing.T) {
	t.Parallel()
	v := visit(t, "https://market.example")
	v.types("right")
	v.press(tea.KeyEnter)
	late := v.work
	v.press(tea.KeyEscape)
	if v.send(late()); v.s.end == nil {
		t.Error("a try that was ended connects")
	}
	v.Sees("No marketplace is configured yet.")
}

func TestTheDemoIsOneKeyAway(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	v.press(tea.KeyEnter)
	if v.s.end != nil || v.s.choice != (Choice{Demo: true}) {
		t.Errorf("the choice is %+v, %v", v.s.choice, v.s.end)
	}
}

func TestTheFirstScreenFitsEverySize(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "https://market.example"} {
		v := visit(t, address)
		v.types("a key of some length")
		v.s.form.Problem = "The service does not accept the key (401). Type or paste it again."
		for width := 1; width < 130; width += 3 {
			for height := 1; height < 40; height += 3 {
				v.size(width, height)
				view := v.s.View()
				uitest.Exact(t, view.Content, width, height)
				if c := view.Cursor; c != nil && (c.X >= width || c.Y >= height) {
					t.Errorf("%d×%d: the cursor is at %d, %d", width, height, c.X, c.Y)
				}
			}
		}
	}
}

func TestATerminalThatCannotBeTakenBackEndsTheFirstScreen(t *testing.T) {
	t.Parallel()
	gone := errors.New("no terminal")
	v := visit(t, "")
	v.send(suspend.Back{Err: gone})
	if v.work == nil || v.work() != tea.Quit() || !errors.Is(v.s.end, gone) {
		t.Errorf("it ends with %v", v.s.end)
	}
}

// Who has seen tonne knows where to look: the name and the page above, the keys
// in the last line, on both pages and at any size.
func TestTheFirstScreenLooksLikeTheOthers(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {240, 70}} {
		for address, keys := range map[string]string{"": " ↑ ↓ choose   ↵ go on   Esc q quit", "https://market.example": " ↵ go on   Tab the other field   Esc back   Ctrl-c quit"} {
			v := visit(t, address)
			v.size(size[0], size[1])
			lines := strings.Split(v.Text(), "\n")
			if !strings.HasPrefix(lines[0], " ◆ tonne   ") || !strings.HasPrefix(lines[len(lines)-1], keys) {
				t.Errorf("%v: %q and %q", size, lines[0], lines[len(lines)-1])
			}
		}
	}
	v := visit(t, "https://market.example")
	v.types("q")
	v.Sees("•")
	v.press(tea.KeyEscape, 'q')
	if v.work == nil {
		t.Error("q does not leave where it is no text")
	}
}

func TestAComplaintGoesWithWhatItWasOf(t *testing.T) {
	t.Parallel()
	v := visit(t, "")
	v.press(tea.KeyDown)
	v.press(tea.KeyEnter)
	v.types("example")
	v.press(tea.KeyEnter)
	v.Sees("✗")
	v.types("s")
	v.SeesNot("✗")
	v.press(tea.KeyEnter)
	v.Sees("✗")
	v.send(tea.PasteMsg{Content: "x"})
	v.SeesNot("✗")
}

func TestAFieldSaysThatItCutsAPaste(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "https://market.example"} {
		v := visit(t, address)
		v.press(tea.KeyDown, tea.KeyEnter)
		v.send(tea.PasteMsg{Content: strings.Repeat("x", 900)})
		v.SeesNot("dropped")
		v.send(tea.PasteMsg{Content: strings.Repeat("y", 200)})
		v.Sees("A line has at most 1,000 characters", "dropped")
		v.press('z')
		v.SeesNot("dropped")
	}
}
