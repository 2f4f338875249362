package welcome

import (
	"context"

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

	// second reports that the cursor is on the second line of the list, and
	// connecting that the form is shown.
	second, connecting bool
	form               *tab.Form
	// stop cancels the current attempt to connect. It is nil if there is none.
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
	s.form = tab.NewForm(tab.Form{
		Note: note, Width: widest, LabelWidth: 28, Labels: []string{"Address of the marketplace", "API key"},
		Hidden: "API key",
		Hints:  []string{"https://market.example", "hidden"},
	})
	s.form.SetValue(address, o.Address)
	if known {
		s.form.Focus(key)
	}
	return s
}

const note = "The key is checked with one request and stored for this address alone."

// Init asks the terminal for its colours.
func (s *screen) Init() tea.Cmd {
	if s.o.Background.Auto {
		return tea.RequestBackgroundColor
	}
	return nil
}

// Update handles keys, pastes and the outcome of an attempt to connect.
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
			s.edited(s.form.Paste(msg))
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
		s.stop, s.form.Problem, s.form.Note, s.connecting = nil, "", note, false
		return nil
	case s.stop != nil:
		return nil
	case stroke == "enter":
		return s.connect()
	}
	_, e := s.form.Press(pressed)
	s.edited(e)
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

func (s *screen) edited(e effect.Effect) {
	if warning, cut := e.(effect.Toast); cut {
		s.form.Problem = warning.Text
	}
}

func (s *screen) typed() Choice {
	return Choice{Address: s.form.Value(address), Key: s.form.Value(key)}
}

func (s *screen) connect() tea.Cmd {
	typed := s.typed()
	s.form.SetValue(address, typed.Address)
	s.form.Problem = ""
	switch problem := s.o.CheckAddress(typed.Address); {
	case problem != "":
		s.form.Fail(address, problem)
		return nil
	case typed.Key == "" && s.form.At() == address:
		s.form.Focus(key)
		return nil
	case typed.Key == "":
		s.form.Problem = "Type or paste the API key."
		return nil
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.stop, s.form.Note = stop, "Asking "+tab.Typed(typed.Address)+" …"
	return func() tea.Msg { return tried{ctx, s.o.Connect(ctx, typed.Address, typed.Key)} }
}

func (s *screen) tried(p *Problem) tea.Cmd {
	s.stop()
	s.stop, s.form.Note = nil, note
	switch {
	case p == nil:
		return s.leave(s.typed(), nil)
	case p.KeyRefused:
		s.form.SetValue(key, "")
		s.form.Fail(key, p.Text)
	default:
		s.form.Fail(address, p.Text)
	}
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
