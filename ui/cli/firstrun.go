package cli

import (
	"context"
	"errors"
	"strings"

	"tonne/api"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/style"
	"tonne/ui/welcome"
)

func (d *dashboardRun) firstRun(ctx context.Context, s *settings) error {
	if d.linear() || d.isDumb() {
		return d.askInLines(ctx, s)
	}
	if err := d.needTerminal("run `tonne auth login`, or set TONNE_BASE_URL and TONNE_API_KEY"); err != nil {
		return err
	}
	choice, err := d.welcome(ctx, s)
	switch {
	case errors.Is(err, welcome.ErrLeft):
		return nil
	case errors.Is(err, welcome.ErrInterrupted):
		return &failure{status: statusInterrupted, silent: true}
	case err != nil:
		return err
	case choice.Demo:
		return d.demo(ctx, *d, s.file)
	}
	if s.baseURL, err = config.ParseBaseURL(choice.Address); err != nil {
		return err
	}
	s.fitProfile()
	s.key, d.key, d.production = choice.Key, choice.Key, s.production()
	place, err := d.saveKey(s, false)
	if err != nil {
		return err
	}
	d.keySource = keySource(credentials.Account{}, place, s.credentials)
	return d.open(ctx, s)
}

func (d *dashboardRun) welcome(ctx context.Context, s *settings) (welcome.Choice, error) {
	screen, done := d.terminal.draw()
	defer done()
	defer d.hideStderr()()
	choice, err := welcome.Run(ctx, welcome.Options{
		Address:    string(s.baseURL),
		Background: style.NewBackground(d.options(s.file).Theme, d.Getenv("NO_COLOR")),
		ASCII:      !style.Unicode(d.Getenv),
		CheckAddress: func(address string) string {
			if _, err := config.ParseBaseURL(address); err != nil {
				return sentence(capital(err.Error()))
			}
			return ""
		},
		Connect: func(ctx context.Context, address, key string) *welcome.Problem {
			return d.connectWith(ctx, *s, address, key)
		},
	}, d.Stdin, screen)
	return choice, hungUp(screen.file, err)
}

// connectWith makes one request with a key that was typed, and says why it
// cannot be used. It changes nothing: another may be tried meanwhile.
func (d *dashboardRun) connectWith(ctx context.Context, s settings, address, key string) *welcome.Problem {
	var err error
	if s.baseURL, err = config.ParseBaseURL(address); err == nil {
		s.key = key
		err = d.check(ctx, &s)
	}
	if err == nil {
		return nil
	}
	f := explain(ran{err})
	p := &welcome.Problem{KeyRefused: f.status == statusRefused}
	todo := f.next()
	if api.KindOf(err) == api.Unauthorized {
		todo = "type or paste it again"
	}
	p.Text = redactKeys(sentence(capital(f.what))+" "+sentence(capital(todo)), key, strings.TrimSpace(d.Getenv("TONNE_API_KEY")))
	return p
}
