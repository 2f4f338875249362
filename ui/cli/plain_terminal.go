package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"tonne/api"
	"tonne/ui/cli/config"
)

func (d *dashboardRun) printTable(ctx context.Context) error {
	r, err := d.read(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	return d.table(ctx, r)
}

func (d *dashboardRun) table(ctx context.Context, r *reading) error {
	if err := d.printMarket(ctx, d.app, r); err != nil {
		return err
	}
	d.warn("this is the market as a table, since TERM is dumb and the dashboard needs a terminal that can place text; " +
		"`tonne --plain --tab inventory` prints the other tabs, a fact a line")
	return nil
}

func (d *dashboardRun) askInLines(ctx context.Context, s *settings) error {
	if !isTerminal(d.Stdin) {
		return notConfigured("run `tonne auth login`, set TONNE_BASE_URL and TONNE_API_KEY, or look around with `tonne demo --plain`",
			"no marketplace is configured")
	}
	in := bufio.NewReader(d.Stdin)
	for s.baseURL == "" {
		fmt.Fprint(d.Stderr, "Type demo to look around with synthetic data, or the address of your marketplace, such as https://market.example: ")
		line, err := d.answer(ctx, func() (string, error) { return in.ReadString('\n') })
		if err != nil {
			return left(err)
		}
		if strings.TrimSpace(line) == "demo" {
			return d.demo(ctx, *d, s.file)
		}
		if s.baseURL, err = config.ParseBaseURL(line); err != nil {
			d.warn("%v; %s", err, addressAdvice(strings.TrimSpace(line)))
		}
	}
	s.fitProfile()
	if err := d.askKeyInLines(ctx, s); err != nil {
		return err
	}
	return d.printTab(ctx)
}

func (d *dashboardRun) askKeyInLines(ctx context.Context, s *settings) (err error) {
	for {
		if s.key, err = d.askKey(ctx, s.place()); err != nil {
			return left(err)
		}
		d.key, d.keySource = s.key, fromPrompt
		err = d.check(ctx, s)
		if api.KindOf(err) != api.Unauthorized {
			break
		}
		d.warn("%s; type or paste the key again", explain(err).what)
	}
	if err != nil {
		return err
	}
	place, err := d.saveKey(s, false)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Stderr, "The key is valid, and stored in %s.\n", placeText(place, s.credentials))
	return nil
}

func left(err error) error {
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	return &failure{status: statusInterrupted, silent: true}
}
