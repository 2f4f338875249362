package welcome

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
	"tonne/ui/suspend"
)

type screen struct {
	ctx           context.Context
	o             Options
	theme         *style.Theme
	width, height int

	// second says that the cursor is on the second line of the list, and
	// connecting that the form is shown.
	second, connecting bool
	form               form

	choice Choice
	end    error
}

func newScreen(ctx context.Context, o Options) *screen {
	s := &screen{ctx: ctx, o: o, theme: o.Background.Theme(), form: newForm(o.Address), end: ErrLeft}
	s.second, s.connecting = o.Address != "", o.Address != ""
	return s
}

// Init asks the terminal for its colours.
func (s *screen) Init() tea.Cmd {
	if s.o.Background.Auto {
		return tea.RequestBackgroundColor
	}
	return nil
}

// Update takes keys, what is pasted, and how trying a key ended.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		s.o.Background.Dark = msg.IsDark()
		s.theme = s.o.Background.Theme()
	case tea.KeyPressMsg:
		return s, s.press(msg)
	case tea.PasteMsg:
		if s.connecting {
			s.form.paste(msg)
		}
	case tried:
		return s, s.tried(msg)
	case suspend.Back:
		if msg.Err != nil {
			s.end = msg.Err
			return s, tea.Quit
		}
		return s, tea.ClearScreen
	}
	return s, nil
}

func (s *screen) press(key tea.KeyPressMsg) tea.Cmd {
	switch stroke := key.Keystroke(); {
	case stroke == "ctrl+c":
		s.end = ErrInterrupted
		return tea.Quit
	case stroke == "ctrl+z":
		return suspend.Suspend
	case s.connecting && stroke == "esc":
		s.form.cancel()
		s.connecting = false
	case s.connecting:
		return s.form.press(s.ctx, key, s.o)
	default:
		return s.pressList(stroke)
	}
	return nil
}

func (s *screen) pressList(stroke string) tea.Cmd {
	switch stroke {
	case "esc", "q":
		return tea.Quit
	case "up", "k", "down", "j", "tab", "shift+tab":
		s.second = !s.second
	case "enter":
		if s.second {
			s.connecting = true
			return nil
		}
		s.choice, s.end = Choice{Demo: true}, nil
		return tea.Quit
	}
	return nil
}

func (s *screen) tried(t tried) tea.Cmd {
	if t.number != s.form.number || !s.form.trying {
		return nil
	}
	if s.form.take(t.problem); t.problem != nil {
		return nil
	}
	s.choice, s.end = Choice{Address: s.form.address.Value(), Key: s.form.secret()}, nil
	return tea.Quit
}

// View draws the screen.
func (s *screen) View() tea.View {
	view := tea.NewView("")
	view.AltScreen = true
	view.WindowTitle = "tonne"
	if s.width > 0 && s.height > 0 {
		view.Content, view.Cursor = s.draw()
		if s.o.ASCII {
			view.Content = style.ASCII(view.Content)
		}
	}
	return view
}
