package dashboard

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
	"tonne/ui/style"
	"tonne/ui/welcome"
)

func (d *Dashboard) firstRun(ctx context.Context, cmd *cobra.Command, s *command.Settings) error {
	if d.InText() {
		_, err := d.App.WithKey()
		return err
	}
	if err := d.NeedTerminal(advice.Format("run %s, or set TONNE_BASE_URL and TONNE_API_KEY",
		advice.Tonne("auth login"))); err != nil {
		return err
	}
	choice, err := d.welcome(ctx, s)
	switch {
	case errors.Is(err, welcome.ErrLeft):
		return nil
	case errors.Is(err, welcome.ErrInterrupted):
		return &command.Failure{Status: command.StatusInterrupted, Silent: true}
	case err != nil:
		return err
	case choice.Demo:
		return runCommand(ctx, cmd, "demo")
	}
	if s.BaseURL, err = config.ParseBaseURL(choice.Address); err != nil {
		return err
	}
	s.FitProfile()
	s.Key, d.App.Key, d.App.Production = choice.Key, choice.Key, s.Production()
	place, err := s.SaveKey(false)
	if err != nil {
		return err
	}
	d.App.KeySource = command.StoredKey(credentials.Account{}, place, s.Credentials)
	return d.open(ctx, s)
}

func (d *Dashboard) welcome(ctx context.Context, s *command.Settings) (welcome.Choice, error) {
	screen, done := d.App.Terminal.Draw(os.Stdout)
	defer done()
	defer HideStderr(d.App)()
	choice, err := welcome.Run(ctx, welcome.Options{
		Address:    string(s.BaseURL),
		Background: style.NewBackground(d.Options(s.File).Theme, d.App.Getenv("NO_COLOR")),
		ASCII:      !style.Unicode(d.App.Getenv),
		CheckAddress: func(address string) string {
			if _, err := config.ParseBaseURL(address); err != nil {
				return command.Sentence(command.Capital(err.Error()))
			}
			return ""
		},
		Connect: func(ctx context.Context, address, key string) *welcome.Problem {
			return d.connectWith(ctx, *s, address, key)
		},
	}, d.App.Stdin, screen)
	return choice, terminal.HungUp(screen.File, err)
}

// connectWith makes one request with a typed key, and returns the problem with it. It
// changes no state, because another key may be tried at the same time.
func (d *Dashboard) connectWith(ctx context.Context, s command.Settings, address, key string) *welcome.Problem {
	var err error
	if s.BaseURL, err = config.ParseBaseURL(address); err == nil {
		s.Key, err = key, command.CheckNewKey(key)
	}
	if err == nil {
		err = d.App.Check(ctx, &s)
	}
	if err == nil {
		return nil
	}
	f := command.Explain(err)
	p := &welcome.Problem{KeyRefused: f.Status == command.StatusRefused}
	if api.KindOf(err) == api.Unauthorized {
		f = &command.Failure{What: f.What, Todo: advice.Plain("type or paste it again")}
	}
	p.Text = command.RedactKeys(sentences(f), key, strings.TrimSpace(d.App.Getenv("TONNE_API_KEY")))
	return p
}
