package welcome

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/tab"
)

type form struct {
	address, key tab.Entry
	problem      string
	// trying says that a key is being tried, number which try it is, and stop
	// ends it.
	trying bool
	number int
	stop   context.CancelFunc
}

type tried struct {
	number  int
	problem *Problem
}

func newForm(address string) form {
	f := form{address: tab.NewEntry(), key: tab.NewEntry(), stop: func() {}}
	f.address.SetValue(address)
	f.focus(address != "")
	return f
}

func (f *form) focus(key bool) {
	f.address.Blur()
	f.key.Blur()
	if key {
		f.key.Focus()
		return
	}
	f.address.Focus()
}

func (f *form) secret() string { return strings.TrimSpace(f.key.Value()) }

func (f *form) paste(msg tea.PasteMsg) {
	if !f.trying {
		f.edit(msg)
	}
}

// edit changes the field that has the keys. What was said of its old value is
// no longer true.
func (f *form) edit(msg tea.Msg) {
	f.problem = ""
	for _, e := range []*tab.Entry{&f.address, &f.key} {
		if told, any := e.Take(msg).(effect.Toast); any {
			f.problem = told.Text
		}
	}
}

func (f *form) press(ctx context.Context, key tea.KeyPressMsg, o Options) tea.Cmd {
	if f.trying {
		return nil
	}
	switch key.Keystroke() {
	case "tab", "shift+tab", "up", "down":
		f.focus(f.address.Focused())
	case "enter":
		return f.enter(ctx, o)
	default:
		f.edit(key)
	}
	return nil
}

func (f *form) enter(ctx context.Context, o Options) tea.Cmd {
	address := strings.TrimSpace(f.address.Value())
	f.address.SetValue(address)
	if f.problem = o.CheckAddress(address); f.problem != "" {
		f.focus(false)
		return nil
	}
	if f.address.Focused() && f.secret() == "" {
		f.focus(true)
		return nil
	}
	if f.secret() == "" {
		f.problem = "Type or paste the API key."
		return nil
	}
	return f.try(ctx, o.Connect)
}

func (f *form) try(ctx context.Context, connect func(context.Context, string, string) *Problem) tea.Cmd {
	f.number++
	f.trying = true
	ctx, f.stop = context.WithCancel(ctx)
	number, address, key := f.number, f.address.Value(), f.secret()
	return func() tea.Msg { return tried{number, connect(ctx, address, key)} }
}

func (f *form) cancel() {
	f.stop()
	f.trying, f.problem = false, ""
}

func (f *form) take(p *Problem) {
	f.stop()
	f.trying = false
	if p == nil {
		return
	}
	f.problem = p.Text
	if p.KeyRefused {
		f.key.SetValue("")
	}
	f.focus(p.KeyRefused)
}
