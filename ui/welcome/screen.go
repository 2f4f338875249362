package welcome

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/suspend"
	"tonne/ui/tab"
)

// The fields of the form.
const (
	address = iota
	key
)

type screen struct {
	ctx           context.Context
	o             Options
	theme         *style.Theme
	width, height int

	// second says that the cursor is on the second line of the list, and
	// connecting that the form is shown.
	second, connecting bool
	fields             [2]tab.Entry
	problem            string
	// stop ends the attempt to connect; nil while there is none.
	stop context.CancelFunc

	choice Choice
	end    error
}

// tried is the outcome of an attempt to connect under ctx.
type tried struct {
	ctx     context.Context
	problem *Problem
}

func newScreen(ctx context.Context, o Options) *screen {
	known := o.Address != ""
	s := &screen{ctx: ctx, o: o, theme: o.Background.Theme(), second: known, connecting: known, end: ErrLeft}
	s.fields = [...]tab.Entry{tab.NewEntry(), tab.NewEntry()}
	s.fields[address].Hint, s.fields[key].Hint, s.fields[key].Hidden = "https://market.example", "it is not shown", true
	s.fields[address].SetValue(o.Address)
	s.focus(address)
	if known {
		s.focus(key)
	}
	return s
}

func (s *screen) focus(field int) {
	s.fields[1-field].Blur()
	s.fields[field].Focus()
}

func (s *screen) focused() int {
	if s.fields[key].Focused() {
		return key
	}
	return address
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
		if s.connecting && s.stop == nil {
			s.edit(msg)
		}
	case tried:
		if msg.ctx.Err() == nil {
			return s, s.tried(msg.problem)
		}
	case suspend.Back:
		if msg.Err != nil {
			return s, s.leave(Choice{}, msg.Err)
		}
		return s, tea.ClearScreen
	}
	return s, nil
}

func (s *screen) leave(with Choice, why error) tea.Cmd {
	s.choice, s.end = with, why
	return tea.Quit
}

func (s *screen) press(pressed tea.KeyPressMsg) tea.Cmd {
	stroke := pressed.Keystroke()
	switch {
	case stroke == "ctrl+c":
		return s.leave(Choice{}, ErrInterrupted)
	case stroke == "ctrl+z":
		return suspend.Suspend
	case !s.connecting:
		return s.pressList(stroke)
	case stroke == "esc":
		if s.stop != nil {
			s.stop()
		}
		s.stop, s.problem, s.connecting = nil, "", false
		return nil
	case s.stop != nil:
		return nil
	}
	switch stroke {
	case "tab", "shift+tab", "up", "down":
		s.focus(1 - s.focused())
	case "enter":
		return s.connect()
	default:
		s.edit(pressed)
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
		if !s.second {
			return s.leave(Choice{Demo: true}, nil)
		}
		s.connecting = true
	}
	return nil
}

func (s *screen) edit(msg tea.Msg) {
	s.problem = ""
	if warning, cut := s.fields[s.focused()].Take(msg).(effect.Toast); cut {
		s.problem = warning.Text
	}
}

func (s *screen) typed() Choice {
	return Choice{Address: strings.TrimSpace(s.fields[address].Value()), Key: strings.TrimSpace(s.fields[key].Value())}
}

func (s *screen) connect() tea.Cmd {
	typed := s.typed()
	s.fields[address].SetValue(typed.Address)
	s.problem = s.o.CheckAddress(typed.Address)
	switch {
	case s.problem != "":
		s.focus(address)
		return nil
	case typed.Key == "" && s.focused() == address:
		s.focus(key)
		return nil
	case typed.Key == "":
		s.problem = "Type or paste the API key."
		return nil
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	return func() tea.Msg { return tried{ctx, s.o.Connect(ctx, typed.Address, typed.Key)} }
}

func (s *screen) tried(p *Problem) tea.Cmd {
	s.stop()
	s.stop = nil
	switch {
	case p == nil:
		return s.leave(s.typed(), nil)
	case p.KeyRefused:
		s.fields[key].SetValue("")
		s.focus(key)
	default:
		s.focus(address)
	}
	s.problem = p.Text
	return nil
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
