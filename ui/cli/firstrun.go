package cli

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"tonne/ui/cli/config"
	"tonne/ui/tab"
)

// What a person may choose on the first screen.
const (
	chooseDemo    = "demo"
	chooseConnect = "connect"
)

// firstRun asks somebody who has configured nothing what to do: look around,
// or connect. What is known already, such as an address without a key, is
// filled in.
func (d *dashboardRun) firstRun(ctx context.Context, s *settings) error {
	if err := d.needTerminal("run `tonne auth login`, or set TONNE_BASE_URL and TONNE_API_KEY"); err != nil {
		return err
	}
	choice := chooseDemo
	if s.baseURL != "" {
		choice = chooseConnect
	}
	err := d.form(ctx, huh.NewGroup(
		huh.NewSelect[string]().Title("tonne · the carbon desk in a terminal").
			Description("No marketplace is configured yet.").
			Options(
				huh.NewOption("Look around in the demo: synthetic data, nothing to set up", chooseDemo),
				huh.NewOption("Connect to a marketplace: its address and your API key", chooseConnect),
			).Value(&choice),
	))
	if err != nil {
		return err
	}
	if choice == chooseDemo {
		demo := &demoRun{dashboardRun: *d}
		return demo.dashboard(ctx, s.file)
	}
	return d.connectNow(ctx, s)
}

// connectNow asks for address and key until they work, stores them and opens
// the dashboard.
func (d *dashboardRun) connectNow(ctx context.Context, s *settings) error {
	address, key, note := string(s.baseURL), "", "The key is checked with one request and stored for this address alone."
	for {
		err := d.form(ctx,
			huh.NewGroup(huh.NewInput().Title("Address of the marketplace").Placeholder("https://market.example").
				Value(&address).Validate(checkAddress)),
			huh.NewGroup(huh.NewInput().Title("API key").Description(note).EchoMode(huh.EchoModePassword).
				Value(&key).Validate(huh.ValidateNotEmpty())),
		)
		if err != nil {
			return err
		}
		if s.baseURL, err = config.ParseBaseURL(address); err != nil {
			return err
		}
		s.key, d.key = key, key
		err = d.check(ctx, s)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := explain(ran{err})
		note = d.redact(fmt.Sprintf("%s %s", sentence(capital(f.what)), sentence(capital(f.todo))))
	}
	if _, err := d.remember(s, false); err != nil {
		return err
	}
	return d.open(ctx, s)
}

func checkAddress(text string) error {
	_, err := config.ParseBaseURL(text)
	return err
}

// form shows a form. Leaving it ends the program without a word.
func (d *dashboardRun) form(ctx context.Context, groups ...*huh.Group) error {
	d.terminal.drawing.Store(true)
	defer d.terminal.drawing.Store(false)
	defer d.hideStderr()()
	form := huh.NewForm(groups...).WithInput(d.Stdin).WithOutput(d.Stdout).
		WithProgramOptions(tea.WithoutSignalHandler(), tea.WithFilter(bearable)).WithViewHook(func(v tea.View) tea.View {
		v.AltScreen = true
		return v
	})
	if d.Getenv("NO_COLOR") != "" {
		form = form.WithTheme(huh.ThemeFunc(huh.ThemeBase))
	}
	err := form.RunWithContext(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, huh.ErrUserAborted):
		return &failure{status: statusInterrupted, silent: true}
	}
	return err
}

// bearable keeps from a form the keys that would end it: its fields are the
// library's own.
func bearable(_ tea.Model, msg tea.Msg) tea.Msg {
	if pressed, ok := msg.(tea.KeyPressMsg); ok && tab.DeletesWord(pressed) {
		return nil
	}
	return msg
}
