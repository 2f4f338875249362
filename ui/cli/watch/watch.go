// Package watch implements the command `tonne watch`: it checks alert rules without a
// dashboard, prints those that fire and runs --exec. The rules themselves are in
// model/alert. Start reading at Command.
package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/alert"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type run struct {
	app *command.App
	*listing.Connection
	vintage, request, command string
	// texts are the values of --rule, and rules the parsed rules.
	texts []string
	rules []alert.Rule
	once  bool
	// record polls to record the market, and checks no rules.
	record bool
	every  time.Duration
	format output.Format

	// memory contains the rules: the local store, or a store in memory for the rules of the flags.
	memory  *store.Store
	session *session.Session
	looked  look
	outage  listing.Outage
	// ofRequest finds the project and vintage of a retirement request.
	ofRequest map[string]model.VintageKey
}

// Command returns `tonne watch`.
func Command(a *command.App) *cobra.Command {
	w := &run{app: a}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Check the rules without a dashboard and report each that fires",
		Long: "Checks the rules of the watch list and prints one line when a rule fires, until\n" +
			"interrupted. With --rule and one --vintage or --retirement, it checks only those rules\n" +
			"and does not save them. Examples of rules: \"price < 5\", \"above 9.50\", \"drops 10%\",\n" +
			"\"below last paid\", \"5% above last paid\", \"within 2% of last paid\" and \"500 tonnes\"; for\n" +
			"retirement requests \"changes\", \"COMPLETE\" and \"CLOSED for 14 days\".\n\n" +
			"--exec runs a shell command for each alert, one at a time and for at most 30 seconds, with\n" +
			"the alert as one JSON object on standard input. The command does not receive the API key.\n" +
			"If it fails, tonne warns and continues.\n\n" +
			"--once polls once and prints the rules that are true now. For rules of the watch list,\n" +
			"--exec runs only if the rule was not true at the previous check.\n\n" +
			"--record checks no rules: it only polls, so that the market is recorded while no dashboard\n" +
			"is open. `tonne history` lists what was recorded.",
		Example: "  tonne watch\n" +
			"  tonne watch --vintage 004mrioohazvurrwl6 --rule 'price < 6' --rule 'drops 10%'\n" +
			"  tonne watch --vintage 004mrioohazvurrwl6 --rule 'below last paid'\n" +
			"  tonne watch --retirement all --rule 'CLOSED for 14 days' -o jsonl\n" +
			"  tonne watch --once --exec 'jq -r .rule | mail -s alert desk@example.com'\n" +
			"  tonne watch --record",
		RunE: command.Do(w.run),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &w.format)
	cmd.Flag("output").Usage = "format of the lines, `table|jsonl`"
	f := cmd.Flags()
	f.StringVar(&w.vintage, "vintage", "", "check the rules on the vintage `ID`")
	f.StringVar(&w.request, "retirement", "", "check the rules on the retirement request `ID`, or on all of the ledger")
	f.StringArrayVar(&w.texts, "rule", nil, "check the rule `TEXT` instead of the watch list; repeatable")
	f.StringVar(&w.command, "exec", "", "run `CMD` for each alert, with the alert as JSON on standard input")
	f.BoolVar(&w.once, "once", false, "poll once and print the rules that are true")
	f.BoolVar(&w.record, "record", false, "record the market, and check no rules")
	f.DurationVar(&w.every, "every", session.MarketInterval, "time between two polls")
	fields := func(more ...string) []field.Path {
		return alertColumns.Pick(append([]string{"at", "rule", "project_id", "vintage_id", "value", "was"},
			more...)...).RowFields()
	}
	const onRequest = "retirement_request_id"
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal, Outputs: []command.OutputForm{
		command.RowForm("", fields(), output.JSONL),
		command.RowForm("a rule on a retirement request", fields(onRequest), output.JSONL),
		command.RowForm("a rule on a vintage that fired while tonne was not running", fields("since"), output.JSONL),
		command.RowForm("a rule on the duration of a state", fields(onRequest, "since"), output.JSONL),
	}})
}

func (w *run) checkFlags() error {
	switch {
	case w.format == output.JSON || w.format == output.CSV:
		return command.Usage("use -o jsonl, or no -o at all", "tonne watch prints lines and does not support -o %s", w.format)
	case w.every < listing.ShortestPoll:
		return command.Usage("give --every at least "+listing.ShortestPoll.String(),
			"--every %s is too short for the service", w.every)
	case w.record && (w.vintage != "" || w.request != "" || len(w.texts) > 0 || w.once || w.command != ""):
		return command.Usage("leave out the other flags, or --record", "--record checks no rules")
	case w.vintage != "" && w.request != "":
		return command.Usage("run it twice", "--vintage and --retirement exclude each other")
	case len(w.texts) > 0 && w.vintage == "" && w.request == "":
		return command.Usage("give --vintage ID or --retirement ID", "--rule needs a vintage or a retirement request")
	case len(w.texts) == 0 && (w.vintage != "" || w.request != ""):
		return command.Usage("give --rule TEXT, such as 'price < 5'", "a rule is missing")
	}
	return w.checkRules()
}

func (w *run) checkRules() error {
	parse := alert.ParseRule
	if w.request != "" {
		parse = alert.ParseRequestRule
	}
	for _, text := range w.texts {
		rule, err := parse(text)
		if err == nil {
			err = rule.Check("")
		}
		if err != nil {
			return command.Usage(advice.Format("%s shows rules", advice.Tonne("watch --help")), "--rule: %v", err)
		}
		if w.once && rule.Waits() {
			return command.Usage("name the base price, as in '"+rule.From(1000).String()+"', or leave out --once",
				"%s is relative to the first price seen, so a single poll can never fire it", rule)
		}
		w.rules = append(w.rules, rule)
	}
	return nil
}

func (w *run) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	if err := w.checkFlags(); err != nil {
		return err
	}
	if w.Connection, err = listing.Connect(ctx, w.app); err != nil {
		return err
	}
	defer w.Close()
	if w.record {
		return w.recordMarket(ctx)
	}
	if w.memory = w.ProjectDetails.Store; len(w.rules) > 0 {
		w.memory = store.Open("")
		defer func() { err = errors.Join(err, w.memory.Close()) }()
	}
	onRequests := w.request != ""
	switch {
	case onRequests:
		err = w.setRequestRules(ctx)
	case w.vintage == "":
		var rules []alert.Rule
		rules, err = w.memory.Of(w.ProjectDetails.Origin).Alerts.Rules(ctx)
		if onRequests = slices.ContainsFunc(rules, alert.Rule.OnRequests); err == nil && len(rules) == 0 {
			err = command.Usage("add a rule with the key a in the dashboard, or give --vintage ID and --rule TEXT",
				"the watch list has no rules for %s", w.BaseURL)
		}
	}
	if err != nil {
		return err
	}
	return w.watch(ctx, onRequests)
}

// recordMarket polls until ctx ends. The client records what it reads.
func (w *run) recordMarket(ctx context.Context) error {
	if s, err := w.app.Settings(); err != nil || w.app.Recording(s) == nil {
		return command.Usage(advice.Format("set it to true with %s", advice.Tonne("config edit")), "record_orders is false")
	}
	return listing.Watch{
		App: w.app, ProjectDetails: w.ProjectDetails, Client: unnamed{w.Client}, Part: true, Quiet: true,
		MarketEvery: w.every, InventoryEvery: max(w.every, session.InventoryInterval),
		Print: func(_ context.Context, e session.Event) error {
			if e, ok := e.(session.MarketEvent); ok {
				return w.outage.Tell(w.app, e.Status)
			}
			return nil
		},
	}.Run(ctx)
}

// setVintageRules sets the rules of the flags when the market has been read.
func (w *run) setVintageRules(e session.MarketEvent) error {
	switch {
	case w.vintage == "" || e.Err == nil && (e.Market == nil || e.Partial):
		return nil
	case e.Err != nil:
		return e.Err
	}
	at, ok := e.Market.FindVintage(w.vintage)
	if !ok {
		return listing.NotForSale(w.vintage)
	}
	for _, rule := range w.rules {
		w.session.AddRule(rule.On(e.Market.Key(at)))
	}
	w.vintage = ""
	return nil
}

func (w *run) setRequestRules(ctx context.Context) error {
	origin, on := w.ProjectDetails.Origin, w.request
	if on == "all" {
		on = ""
	}
	for _, rule := range w.rules {
		if err := w.memory.Of(origin).Alerts.AddRule(ctx, rule.OnRequest(on)); err != nil {
			return err
		}
	}
	since, err := w.ProjectDetails.Store.Of(origin).Ledger.States(ctx)
	if err != nil {
		return err
	}
	known := on == ""
	entries, err := w.ProjectDetails.Store.Of(origin).Ledger.Entries(ctx)
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
	for _, rule := range w.rules {
		if w.once && (rule.Status == "" || rule.For > 0) {
			w.app.Warn("%q starts with this poll, because the request is not in the ledger, so a single poll can never fire it",
				rule.Words())
		}
	}
	return w.enter(ctx, on, w.app.Now(), w.app.Now(), &answer)
}

func (w *run) enter(ctx context.Context, id string, seen, since time.Time, answer *retirement.Request) error {
	err := w.memory.Of(w.ProjectDetails.Origin).Ledger.Remember(ctx, seen, id)
	if err != nil || answer == nil {
		return err
	}
	return w.memory.Of(w.ProjectDetails.Origin).Ledger.Record(ctx, store.LookUp{ID: id, At: since, Answer: answer})
}

// watch runs a session with the rules until they have been checked once, or until ctx ends.
func (w *run) watch(ctx context.Context, onRequests bool) error {
	details := *w.ProjectDetails
	details.Store = w.memory
	run := listing.Watch{
		App: w.app, ProjectDetails: &details, Client: w.Client,
		MarketEvery: w.every, InventoryEvery: max(w.every, session.InventoryInterval), Quiet: true,
	}
	run.Begin = func(work *session.Session) {
		if w.session = work; onRequests || !w.once {
			work.OpenLedger()
		}
	}
	next := w.tellFired
	if w.once {
		run.Client, next = unnamed{w.Client}, w.look
		w.looked = look{ledger: !onRequests, answered: make(map[string]bool)}
	}
	run.Print = func(ctx context.Context, e session.Event) error {
		switch e := e.(type) {
		case session.MarketEvent:
			if err := w.setVintageRules(e); err != nil {
				return err
			}
		case session.LedgerEvent:
			w.ofRequest = make(map[string]model.VintageKey)
			for _, r := range e.Requests {
				if r.Answer != nil {
					w.ofRequest[r.ID] = r.Answer.Vintage()
				}
			}
		}
		return next(ctx, e)
	}
	if err := run.Run(ctx); !errors.Is(err, errLooked) {
		return err
	}
	return nil
}

func (w *run) tellFired(ctx context.Context, e session.Event) error {
	switch e := e.(type) {
	case session.MarketEvent:
		return w.outage.Tell(w.app, e.Status)
	case session.AlertsEvent:
		held := make([]heldRule, len(e.Fired))
		for i, f := range e.Fired {
			held[i] = heldRule{f, true}
		}
		return w.tell(ctx, held...)
	}
	return nil
}
