// Package postings implements the command `tonne postings`: it prints accounting entries of purchases and retirements.
// The entries are made in package model/posting.
package postings

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/posting"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

// The journals of plain-text accounting, next to the formats of all lists.
const (
	hledger   output.Format = "hledger"
	beancount output.Format = "beancount"
)

type run struct {
	app    *command.App
	period filing.Period
	format output.Format
}

// Command returns `tonne postings`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a}
	cmd := &cobra.Command{
		Use:   "postings",
		Short: "Print accounting entries of purchases and retirements",
		Long: "Prints an entry for each purchase and each complete retirement between two UTC days: --from\n" +
			"is inclusive, --to exclusive. A purchase debits the account of credits and credits the payable\n" +
			"one. A retirement debits the expense at its cost, first in, first out per vintage, and credits\n" +
			"the account of credits. The table [accounts] of the configuration names the accounts; with\n" +
			"expense_at = \"purchase\", a purchase is an expense at once and a retirement has no entry.\n\n" +
			"An entry whose cost is unknown is not printed: standard error names it, and the exit status\n" +
			"is 5. docs/accounting.md explains the method.",
		Example: a.Examples(
			"%s postings --from 2026-01-01 --to 2026-02-01 -o csv",
			"%s postings --from 2026-01-01 --to 2026-02-01 -o hledger | hledger -f - balance",
			"%s postings --from 2026-01-01 -o beancount",
		),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return r.run(ctx) }),
	}
	a.ConnectionFlags(cmd)
	command.FormatFlag(cmd, &r.format, output.Table, output.JSON, output.JSONL, output.CSV, hledger, beancount)
	a.SelectionFlags(cmd)
	r.period.AddFlags(cmd.Flags(), "entries")
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: command.ListForms(posting.Columns)})
}

func (r *run) run(ctx context.Context) error {
	if err := r.period.Read(r.app, "give --from 2026-01-01 --to 2026-02-01"); err != nil {
		return err
	}
	if journal := r.format == hledger || r.format == beancount; journal && !r.app.Selection.Empty() {
		return command.Usage("leave them out", "--columns and --sort do not apply to -o %s", r.format)
	}
	file, err := r.app.ConfigFile()
	if err != nil {
		return err
	}
	accounts, err := r.accounts(file)
	if err != nil {
		return err
	}
	reading, err := listing.Connect(ctx, r.app)
	if err != nil {
		return err
	}
	defer reading.Close()
	if names := file.At(config.BaseURL(reading.BaseURL)); len(names) > 1 {
		r.app.Warn("the ledger has the requests of all profiles of this address, and so have the entries: %s",
			strings.Join(names, ", "))
	}
	source, err := r.read(ctx, reading)
	if err != nil {
		return err
	}
	source.Accounts = accounts
	entries, left, doubts := posting.Entries(source)
	if err := r.print(entries); err != nil {
		return err
	}
	for _, sentence := range slices.Concat(left, doubts) {
		r.app.Warn("%s", sentence)
	}
	if n := pending(source); n > 0 && !accounts.AtPurchase {
		r.app.Warn("%s not complete yet: a retirement is entered on the day of its completion",
			model.Count(n, "request is", "requests are"))
	}
	if len(left)+len(doubts) == 0 {
		return nil
	}
	what := "retirements may be missing"
	if n := len(left); n > 0 {
		what = model.Count(n, "entry is", "entries are") + " not printed"
	}
	return &command.Failure{
		What: advice.Plain(what),
		Todo: advice.Format("look up the requests that the ledger lacks with %s, then run it again",
			advice.Tonne("retirement ID")),
		Status: command.StatusUnreachable, Code: "incomplete",
	}
}

// pending counts the requests that will have an entry.
func pending(s posting.Source) (n int) {
	for _, request := range s.Requests {
		if !request.Status.Final() && request.CreatedAt.Known() && request.CreatedAt.Time.Before(s.To) {
			n++
		}
	}
	return n
}

func (r *run) accounts(file *config.File) (posting.Accounts, error) {
	value := func(name string) string {
		text, _ := r.app.Value("accounts."+name, file, "")
		return text
	}
	accounts := posting.Accounts{
		Credits: value("credits"), Payable: value("payable"), Expense: value("expense"),
		AtPurchase: value("expense_at") == config.AtPurchase,
	}
	if accounts.Credits == accounts.Payable || accounts.Credits == accounts.Expense {
		return accounts, command.Usage("correct the table [accounts] of the configuration",
			"the account %s is named for two purposes", accounts.Credits)
	}
	if r.format == beancount {
		if err := posting.CheckBeancount(accounts); err != nil {
			return accounts, command.Usage("correct the table [accounts] of the configuration", "%v", err)
		}
	}
	return accounts, nil
}

func (r *run) read(ctx context.Context, reading *listing.Connection) (source posting.Source, err error) {
	auditor := filing.Auditor(reading)
	inventory, err := auditor.Inventory(ctx)
	if err != nil {
		return source, err
	}
	ledger, err := filing.FreshLedger(ctx, reading)
	if err != nil {
		return source, err
	}
	of, err := auditor.Statement(ctx, inventory, ledger)
	if err != nil {
		return source, err
	}
	r.app.ClearProgress()
	source = posting.Source{
		Inventory: inventory, Requests: of.Requests, Projects: of.Projects, References: make(map[string]string),
		From: r.period.Begin, To: r.period.End,
	}
	for _, record := range ledger.Records() {
		source.References[record.ID] = cmp.Or(record.Reference, record.Label)
	}
	return source, nil
}

func (r *run) print(entries []posting.Entry) error {
	switch r.format {
	case hledger:
		return posting.WriteHledger(r.app.Data(), entries)
	case beancount:
		return posting.WriteBeancount(r.app.Data(), entries)
	}
	return listing.NewFormats(r.app, posting.Columns, posting.Lines(entries)).Print(r.format)
}
