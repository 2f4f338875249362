package dashboard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"tonne/api"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/terminal"
)

func (d *Dashboard) printTable(ctx context.Context) error {
	r, err := listing.Connect(ctx, d.App)
	if err != nil {
		return err
	}
	defer r.Close()
	return d.Table(ctx, r)
}

// Table prints the market as a table, for a terminal that cannot place text.
func (d *Dashboard) Table(ctx context.Context, r *listing.Connection) error {
	if err := d.Print(ctx, d.App, r); err != nil {
		return err
	}
	d.Warn("this is the market as a table, since TERM is dumb and the dashboard needs a terminal that can place text; " +
		"`tonne --plain --tab inventory` prints the other tabs, a fact a line")
	return nil
}

func (d *Dashboard) askInLines(ctx context.Context, s *command.Settings) error {
	if !terminal.IsTerminal(d.Stdin) {
		return command.NotConfigured("run `tonne auth login`, set TONNE_BASE_URL and TONNE_API_KEY, or look around with `tonne demo --plain`",
			"no marketplace is configured")
	}
	in := bufio.NewReader(d.Stdin)
	for s.BaseURL == "" {
		fmt.Fprint(d.Stderr, "Type demo to look around with synthetic data, or the address of your marketplace, such as https://market.example: ")
		line, err := d.Answer(ctx, func() (string, error) { return in.ReadString('\n') })
		if err != nil {
			return left(err)
		}
		if strings.TrimSpace(line) == "demo" {
			return d.Demo(ctx, *d, s.File)
		}
		if s.BaseURL, err = config.ParseBaseURL(line); err != nil {
			d.Warn("%v; %s", err, command.AddressAdvice(strings.TrimSpace(line)))
		}
	}
	s.FitProfile()
	if err := d.askKeyInLines(ctx, s); err != nil {
		return err
	}
	return d.printTab(ctx)
}

func (d *Dashboard) askKeyInLines(ctx context.Context, s *command.Settings) (err error) {
	for {
		if s.Key, err = d.AskKey(ctx, s.Place()); err != nil {
			return left(err)
		}
		d.Key, d.KeySource = s.Key, command.FromPrompt
		err = d.Check(ctx, s)
		if api.KindOf(err) != api.Unauthorized {
			break
		}
		d.Warn("%s; type or paste the key again", command.Explain(err).What)
	}
	if err != nil {
		return err
	}
	place, err := d.SaveKey(s, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Stderr, "The key is valid, and stored in %s.\n", command.PlaceText(place, s.Credentials))
	return nil
}

func left(err error) error {
	if _, ok := errors.AsType[*command.Failure](err); ok {
		return err
	}
	return &command.Failure{Status: command.StatusInterrupted, Silent: true}
}
