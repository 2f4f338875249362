// Package watch is `tonne watch`: it runs rules without a screen.
package watch

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// run is one run of `tonne watch`.
type run struct {
	*command.App
	*listing.Connection
	vintage, request, command string
	rules                     []string
	once                      bool
	every                     time.Duration
	format                    output.Format
	// longest is how long the command may run.
	longest time.Duration

	// memory is where the rules are: the store, or a memory of this run alone for
	// those that the flags give.
	memory *store.Store
	// told is the last entry of its history that was told.
	told int64
	// ofRequest finds what a retirement request is of.
	ofRequest map[string]model.VintageKey
}

// Command returns `tonne watch`.
func Command(a *command.App) *cobra.Command {
	w := &run{App: a, longest: maxExec}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Run the rules without a screen, and tell of each that begins to hold",
		Long: "Runs the rules of the watch list, and prints a line for each that begins to hold until\n" +
			"it is ended; or those of --rule on one --vintage or --retirement, of which nothing is\n" +
			"kept. Rules are such as \"price < 5\", \"above 9.50\", \"drops 10%\", \"5% under last paid\"\n" +
			"and \"500 tonnes\"; on retirement requests \"changes\", \"COMPLETE\" and \"CLOSED for 14 days\".\n\n" +
			"--exec runs a command of the shell for each, one at a time and for at most 30 seconds,\n" +
			"with the alert as one JSON object on its standard input. It gets no API key, and if it\n" +
			"fails, that is told and the watch goes on.\n\n" +
			"--once looks once and prints the rules that hold now. Of the rules of the watch list,\n" +
			"--exec then runs for those that did not hold the time before.",
		Example: "  tonne watch\n" +
			"  tonne watch --vintage 004mrioohazvurrwl6 --rule 'price < 6' --rule 'drops 10%'\n" +
			"  tonne watch --retirement all --rule 'CLOSED for 14 days' -o jsonl\n" +
			"  tonne watch --once --exec 'jq -r .rule | mail -s alert desk@example.com'",
		Args: cobra.NoArgs,
		RunE: command.Do(w.run),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &w.format)
	cmd.Flag("output").Usage = "format of the lines, `table|jsonl`"
	f := cmd.Flags()
	f.StringVar(&w.vintage, "vintage", "", "hold the rules against the vintage `ID`")
	f.StringVar(&w.request, "retirement", "", "hold the rules against the retirement request `ID`, or all of the ledger")
	f.StringArrayVar(&w.rules, "rule", nil, "hold the rule `TEXT` in place of those of the watch list; repeatable")
	f.StringVar(&w.command, "exec", "", "run `CMD` for each, with the alert as JSON on its standard input")
	f.BoolVar(&w.once, "once", false, "look once and print what holds")
	f.DurationVar(&w.every, "every", listing.MarketPace, "time between two polls")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal, Outputs: []command.OutputForm{
		command.RowForm("", alertHeader, output.JSONL), command.RowForm(requestForm, requestAlertHeader, output.JSONL),
		command.RowForm(sinceForm, alertHeader+alertSince, output.JSONL), command.RowForm(lastsForm, requestAlertHeader+alertSince, output.JSONL),
	}})
}

// requestForm and sinceForm say which rules are printed so.
const (
	requestForm = "a rule on a retirement request"
	sinceForm   = "a rule on a vintage that began to hold while nobody looked"
	lastsForm   = "a rule on a state that lasts"
)

func (w *run) checkFlags() error {
	switch {
	case w.format == output.JSON || w.format == output.CSV:
		return command.Usage("use -o jsonl, or no -o at all", "tonne watch prints lines, and -o %s has none", w.format)
	case w.every < listing.ShortestPoll:
		return command.Usage("give --every at least "+listing.ShortestPoll.String(), "--every %s would not leave the service a pause", w.every)
	case w.vintage != "" && w.request != "":
		return command.Usage("run it twice", "rules are on one of --vintage and --retirement")
	case len(w.rules) > 0 && w.vintage == "" && w.request == "":
		return command.Usage("give --vintage ID or --retirement ID", "--rule needs what it is on")
	case len(w.rules) == 0 && (w.vintage != "" || w.request != ""):
		return command.Usage("give --rule TEXT, such as 'price < 5'", "a rule is missing")
	}
	return w.checkRules()
}

// parse reads a rule of the flags.
func (w *run) parse(text string) (model.Rule, error) {
	if w.request != "" {
		return model.ParseRequestRule(text)
	}
	return model.ParseRule(text)
}

func (w *run) checkRules() error {
	for _, text := range w.rules {
		rule, err := w.parse(text)
		if err == nil {
			err = rule.Check("")
		}
		if err != nil {
			return command.Usage("`tonne watch --help` shows rules", "--rule: %v", err)
		}
		if w.once && rule.Waits() {
			return command.Usage("say from which price, as in '"+rule.From(1000).String()+"', or leave out --once",
				"%s counts from the price of this look, so one look never finds that it holds", rule)
		}
	}
	return nil
}

func (w *run) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	if err := w.checkFlags(); err != nil {
		return err
	}
	if w.Connection, err = listing.Connect(ctx, w.App); err != nil {
		return err
	}
	defer w.Close()
	w.memory = w.ProjectDetails.Store
	if len(w.rules) > 0 {
		w.memory = store.Open("")
		defer func() { err = errors.Join(err, w.memory.Close()) }()
		if err := w.setRules(ctx); err != nil {
			return err
		}
	}
	if err := w.needRules(ctx); err != nil {
		return err
	}
	if w.once {
		return w.look(ctx)
	}
	return w.stay(ctx)
}

func (w *run) needRules(ctx context.Context) error {
	alerts, err := w.memory.Alerts(ctx, w.ProjectDetails.Origin)
	if err != nil || len(alerts) > 0 {
		return err
	}
	return command.Usage("add one with a in the dashboard, or give --vintage ID and --rule TEXT", "no rules are kept for %s", w.BaseURL)
}

func (w *run) setRules(ctx context.Context) error {
	if w.request != "" {
		return w.setRequestRules(ctx)
	}
	market, err := w.Client.Market(ctx, 0, nil)
	if err != nil {
		return err
	}
	at, ok := market.FindVintage(w.vintage)
	if !ok {
		return listing.NotForSale(w.vintage)
	}
	return w.startRules(ctx, market, market.Key(at))
}

// startRules sets rules on a vintage. Those that do not hold are held against
// the market at once, so that it is known what was before they do.
func (w *run) startRules(ctx context.Context, market *model.Market, key model.VintageKey) error {
	facts := market.Facts(key, nil)
	var hold []model.Rule
	for _, text := range w.rules {
		rule, err := w.parse(text)
		if err != nil {
			return err
		}
		rule = rule.From(facts.BestAsk)
		if holds, _ := rule.Holds(facts); holds {
			hold = append(hold, rule)
		} else if err := w.memory.AddRule(ctx, w.ProjectDetails.Origin, store.Alert{Vintage: key, Rule: rule}); err != nil {
			return err
		}
	}
	_, err := w.memory.Crossed(ctx, w.ProjectDetails.Origin, w.Now(), func(model.VintageKey) model.Facts { return facts })
	for i := 0; i < len(hold) && err == nil; i++ {
		err = w.memory.AddRule(ctx, w.ProjectDetails.Origin, store.Alert{Vintage: key, Rule: hold[i]})
	}
	return err
}

// allRequests is --retirement for all requests of the ledger.
const allRequests = "all"

func (w *run) setRequestRules(ctx context.Context) error {
	origin, on := w.ProjectDetails.Origin, w.request
	if on == allRequests {
		on = ""
	}
	for _, text := range w.rules {
		rule, err := w.parse(text)
		if err == nil {
			err = w.memory.AddRule(ctx, origin, store.Alert{Request: on, Rule: rule})
		}
		if err != nil {
			return err
		}
	}
	since, err := w.ProjectDetails.Store.RequestStates(ctx, origin)
	if err != nil {
		return err
	}
	known := on == ""
	entries, err := w.ProjectDetails.Store.Ledger(ctx, origin)
	for i := 0; i < len(entries) && err == nil; i++ {
		if e := entries[i]; on == "" || on == e.ID {
			known = known || on == e.ID
			err = w.enter(ctx, e.ID, e.FirstSeen, since[e.ID], e.Answer)
		}
	}
	if err != nil || known {
		return err
	}
	answer, err := w.Client.Retirement(ctx, on)
	if err != nil {
		return err
	}
	w.tellCounting()
	return w.enter(ctx, on, w.Now(), w.Now(), &answer)
}

func (w *run) tellCounting() {
	for _, text := range w.rules {
		if rule, err := w.parse(text); w.once && err == nil && (rule.Status == "" || rule.For > 0) {
			w.Warn("%q counts from this look, because the ledger does not have the request: one look never finds that it holds", rule.Words())
		}
	}
}

// enter puts a request into the memory of this run, with an answer if there is
// one, in whose state it is since a time.
func (w *run) enter(ctx context.Context, id string, seen, since time.Time, answer *model.Retirement) error {
	err := w.memory.Remember(ctx, w.ProjectDetails.Origin, seen, id)
	if err != nil || answer == nil {
		return err
	}
	return w.memory.Record(ctx, w.ProjectDetails.Origin, store.LookUp{ID: id, At: since, Answer: answer})
}

func (w *run) stay(ctx context.Context) error {
	details := *w.ProjectDetails
	details.Store = w.memory
	told, err := w.memory.History(ctx, w.ProjectDetails.Origin)
	if err != nil {
		return err
	}
	if len(told) > 0 {
		w.told = told[0].ID
	}
	var outage listing.Outage
	run := listing.Watch{
		App: w.App, ProjectDetails: &details, Progress: w.Progress, Client: w.Client,
		MarketEvery: w.every, InventoryEvery: max(w.every, listing.InventoryPace),
		Begin: func(work *session.Session) { work.OpenLedger() },
		Quiet: true,
	}
	run.Print = func(ctx context.Context, e session.Event) error {
		switch e := e.(type) {
		case session.MarketEvent:
			if err := outage.Tell(w.App, e.Status); err != nil {
				return err
			}
		case session.LedgerEvent:
			w.learnRequests(e)
		}
		return w.tellNew(ctx)
	}
	return run.Run(ctx)
}

func (w *run) tellNew(ctx context.Context) error {
	fired, err := w.memory.FiredSince(ctx, w.ProjectDetails.Origin, w.told)
	if err != nil {
		return err
	}
	held := make([]heldRule, len(fired))
	for i, f := range fired {
		w.told, held[i] = f.ID, heldRule{f, true}
	}
	return w.tell(ctx, held...)
}

func (w *run) learnRequests(e session.LedgerEvent) {
	w.ofRequest = make(map[string]model.VintageKey)
	for _, r := range e.Requests {
		if r.Answer != nil {
			w.ofRequest[r.ID] = model.VintageKey{ProjectID: r.Answer.ProjectID, VintageID: r.Answer.VintageID}
		}
	}
}
