package listing

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/file/record"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// Past is the flag --at, and the recorded market that it selects.
type Past struct {
	text string
	at   time.Time
	seen record.Seen
}

// AddFlag adds --at.
func (p *Past) AddFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.text, "at", "",
		"use the market that was recorded at `TIME`: \"2026-11-20 14:02\", or RFC 3339")
}

// PastHelp explains the flag.
const PastHelp = "--at uses the last market that was recorded at or before a time, and sends no request for it.\n" +
	"`tonne history` lists the recorded periods. Last paid prices are those up to the time."

// Given reports whether the flag is given.
func (p *Past) Given() bool { return p.text != "" }

// Parse reads the flag. excluded are the flags that it excludes. The error is wrong usage.
func (p *Past) Parse(cmd *cobra.Command, excluded ...string) (err error) {
	if !p.Given() {
		return nil
	}
	if err = command.CheckExcluded(cmd, "at", excluded...); err == nil {
		p.at, err = ParseTime("--at", p.text)
	}
	return err
}

// ParseTime reads a time: RFC 3339, or a date and a time of day in the local zone. The error is wrong
// usage.
func ParseTime(flag, text string) (time.Time, error) {
	if at, ok := model.ParseMoment(text, time.Local); ok {
		return at, nil
	}
	return time.Time{}, command.Usage(`write it like "2026-11-20 14:02:05", or as in RFC 3339`,
		"%s %q is not a time", flag, text)
}

// ParseDay reads a UTC day. It is zero for an empty text. The error is wrong usage.
func ParseDay(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, command.Usage("write it like 2026-11-20", "%s %q is not a valid date", flag, text)
	}
	return at, nil
}

// ParseDays reads --from and --to, which is exclusive. A day is zero if it is not given. The error is wrong usage.
func ParseDays(a *command.App, from, to string) (first, end time.Time, err error) {
	if first, err = ParseDay("--from", from); err == nil {
		end, err = ParseDay("--to", to)
	}
	if err == nil && from != "" && to != "" && !first.Before(end) {
		err = command.Usage("give a --to after --from; --to is exclusive", "--from %s is not before --to %s", from, to)
	}
	if err == nil {
		a.NoteLastDay(end)
	}
	return first, end, err
}

// Market returns the market of the time, and the prices that were last paid up to it, nil if they are
// unknown. Project details are only those of the local store, which a guest does not have.
func (p *Past) Market(ctx context.Context, r *Connection) (*market.Market, portfolio.LastPaidPrices, error) {
	r.ProjectDetails.Local = r.App.Guest == nil
	var err error
	p.seen, err = r.App.Record().Of(r.BaseURL).At(ctx, p.at)
	if unwatched, ok := errors.AsType[*record.UnwatchedError](err); ok {
		return nil, nil, command.Unmet("not_recorded",
			advice.Format("%s lists the recorded periods", advice.Tonne("history")), "%v", unwatched)
	}
	if err != nil {
		return nil, nil, err
	}
	r.ProjectDetails.Need(ctx, p.seen.Market.ProjectIDs())
	inv, err := r.Client.Inventory(ctx, api.InventoryQuery{TradeType: portfolio.Buy}, nil)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		r.App.Warn("what was last paid is not known: %s", command.Explain(err).What)
		return p.seen.Market, nil, nil
	}
	return p.seen.Market, inv.Until(p.at).LastPaid(), nil
}

// At returns the time of the read, or a zero time without --at.
func (p *Past) At() time.Time { return p.seen.At }

// Asked returns the time that was asked for in RFC 3339, or "" without --at.
func (p *Past) Asked() string {
	if !p.Given() {
		return ""
	}
	return model.At(p.at).Text
}

// ReadAt returns the time of the read in RFC 3339, or "" without --at.
func (p *Past) ReadAt() string { return model.At(p.seen.At).Text }

// String says when the market was recorded: "recorded 14:02:03, 2 s before". It is empty without --at.
func (p *Past) String() string {
	if !p.Given() {
		return ""
	}
	return "recorded " + p.seen.At.Local().Format(time.TimeOnly) + ", " +
		model.FormatNumber(int64(p.at.Sub(p.seen.At)/time.Second)) + " s before"
}

// Table returns a table that says when the market was recorded, or none without --at.
func (p *Past) Table() []*output.Grid {
	if !p.Given() {
		return nil
	}
	g := output.NewGrid(output.Heading{})
	g.Add(p.String())
	return []*output.Grid{g}
}

// PastColumns are the fields that a document has only with --at: the time of the read, and the time that
// was asked for.
func PastColumns[T any](of func(T) *Past) field.Columns[T] {
	text := func(get func(*Past) string) func(T) field.Value {
		return func(t T) field.Value {
			if p := of(t); p != nil && p.Given() {
				return field.Text(get(p))
			}
			return field.Value{}
		}
	}
	return field.Columns[T]{
		{Name: "fetched_at", Is: "string|absent", Value: text((*Past).ReadAt)},
		{Name: "at", Is: "string|absent", Value: text((*Past).Asked)},
	}
}
