package filing

import (
	"time"

	"github.com/spf13/pflag"

	"tonne/ui/cli/command"
)

// Period is the flags of a period of UTC days. Begin is part of it, End is not.
type Period struct {
	From, To   string
	Begin, End time.Time
}

// AddFlags adds --from and --to. what is what the period is of.
func (p *Period) AddFlags(f *pflag.FlagSet, what string) {
	f.StringVar(&p.From, "from", "", "first `DAY`, such as 2026-01-01")
	f.StringVar(&p.To, "to", "", "`DAY` after the last day of the "+what+" (default tomorrow)")
}

// Read reads the flags. todo is the advice for wrong ones.
func (p *Period) Read(a *command.App, todo string) (err error) {
	now := a.Now()
	if p.From == "" {
		return command.Usage(todo, "--from is missing")
	}
	if p.Begin, err = time.Parse(time.DateOnly, p.From); err != nil {
		return command.Usage(todo, "--from %q is not a valid date", p.From)
	}
	p.End = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	if p.To != "" {
		if p.End, err = time.Parse(time.DateOnly, p.To); err != nil {
			return command.Usage(todo, "--to %q is not a valid date", p.To)
		}
	}
	if !p.Begin.Before(p.End) {
		return command.Usage("give a --to after --from: --to is exclusive", "the period from %s to %s is empty",
			p.Begin.Format(time.DateOnly), p.End.Format(time.DateOnly))
	}
	if err := p.CheckBegun(now); err != nil {
		return err
	}
	if p.To != "" {
		a.NoteLastDay(p.End)
	}
	return nil
}

// CheckBegun refuses a period in the future: its sums would be empty, and its balance would be today's.
func (p *Period) CheckBegun(now time.Time) error {
	if p.Begin.After(now) {
		return command.Usage("give a period that has begun", "the period from %s on has not begun (UTC)",
			p.Begin.Format(time.DateOnly))
	}
	return nil
}
