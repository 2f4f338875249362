// Package attributes implements the command `tonne attributes`: it imports the buyer's own
// data on credits from a CSV file, keeps it in the local store and prints it.
package attributes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/file/tabular"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

// Command returns `tonne attributes`.
func Command(a *command.App) *cobra.Command {
	cmd := a.Group("attributes", "Keep your own data on credits: methodology, labels, verifier",
		"  tonne attributes import labels.csv\n  tonne attributes list", importCommand(a), listCommand(a))
	cmd.Long = "Attributes are your own data on a project, a vintage or a block of serial numbers:\n" +
		"methodology, removal or reduction, CCP label, CORSIA phase, Article 6 status and verifier.\n" +
		"Each has a source page and the day on which you checked it. Evidence and statements have\n" +
		"columns for them. Serial-number attributes override vintage attributes, and those override\n" +
		"project attributes. Values that you did not enter show as \"not supplied\"; tonne never\n" +
		"guesses them."
	return cmd
}

func importCommand(a *command.App) *cobra.Command {
	var input *filing.Table
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import attributes from a file, all-or-nothing",
		Long: "Reads CSV or .xlsx with the columns " + strings.Join(factColumns.Names(), ",") + ". The scope is\n" +
			"project, vintage or serial; the attribute is methodology, removal (removal or reduction),\n" +
			"ccp (yes or no), corsia, article6 or verifier; the source is an https address, and checked\n" +
			"is a date such as 2026-03-01. A line replaces the earlier value of the same attribute; an\n" +
			"empty value deletes it. `tonne attributes list -o csv` prints such a file.",
		Example: "  tonne attributes import labels.csv\n  tonne attributes list -o csv > labels.csv",
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return importFacts(ctx, a, input, args[0])
		}),
	}
	a.ConnectionFlags(cmd)
	input = filing.NewTable(a, cmd.Flags(), "imported")
	input.Refused = command.Failed[string]
	input.AddColumns(cmd.Flags())
	input.AddFormats(cmd.Flags(), true)
	return a.Describe(cmd, command.Description{
		Effect: command.WritesLocal,
		Arguments: []command.Argument{{Name: "FILE", Description: "CSV or .xlsx with the attributes; - is standard input",
			Required: true}},
	})
}

func importFacts(ctx context.Context, a *command.App, input *filing.Table, path string) error {
	origin, err := a.MarketplaceURL()
	if err != nil {
		return err
	}
	table, err := input.Read(ctx, path, tabular.Largest)
	if err != nil {
		return err
	}
	records, faults, err := input.Records(path, table, tabular.Spec{Fields: factFields, Strict: true})
	if err != nil {
		return err
	}
	facts := readFacts(records, faults, a.Now())
	if faults.Err() != nil {
		return input.Refuse(path, faults)
	}
	local := a.OpenStore()
	defer local.Close()
	if wrong, err := contradict(ctx, local, origin, facts); err != nil {
		return err
	} else if len(wrong) > 0 {
		return command.Failed("correct the file and import it again; nothing was imported", "%s: %s", path,
			filing.SomeOf(wrong))
	}
	if err := local.Of(origin).Annotations.PutFacts(ctx, facts); err != nil {
		return err
	}
	if err := problemOf(local); err != nil {
		return err
	}
	a.Say(a.Clean(fmt.Sprintf("%s taken from %s.", model.Count(len(facts), "attribute was", "attributes were"),
		filing.NameOf(path))) + "\n")
	return warnOfStrangers(ctx, a, local, origin, facts)
}

func problemOf(local *store.Store) error {
	if problem := local.Problem(); problem != nil {
		return command.Failed("repair or move the file; it contains the attributes", "%v", problem)
	}
	return nil
}

// warnOfStrangers warns of ids that are not in the local store. It does not check serial
// numbers, nor a scope without any ids in the store.
func warnOfStrangers(ctx context.Context, a *command.App, local *store.Store, origin string,
	facts []attribute.Fact) error {
	projects, err := local.Of(origin).Cache.Projects(ctx)
	if err != nil {
		return err
	}
	entries, err := local.Of(origin).Ledger.Entries(ctx)
	if err != nil {
		return err
	}
	known := map[attribute.Scope]map[string]bool{attribute.OfProject: {}, attribute.OfVintage: {}}
	for id, p := range projects {
		known[attribute.OfProject][id] = true
		for _, v := range p.Vintages {
			known[attribute.OfVintage][v.ID] = true
		}
	}
	for _, r := range audit.Answered(entries) {
		known[attribute.OfProject][r.ProjectID], known[attribute.OfVintage][r.VintageID] = true, true
	}
	var strangers []string
	for _, f := range facts {
		if ids := known[f.Scope]; len(ids) > 0 && !ids[f.ID] {
			strangers = append(strangers, f.ID)
			ids[f.ID] = true
		}
	}
	if len(strangers) > 0 {
		a.Warn("%s unknown to this machine (no such project or vintage); check for typing errors: %s",
			model.Count(len(strangers), "id is", "ids are"), filing.SomeOf(strangers))
	}
	return nil
}

func contradict(ctx context.Context, local *store.Store, origin string, facts []attribute.Fact) (wrong []string,
	err error) {
	kept, err := local.Of(origin).Annotations.Facts(ctx)
	if err != nil {
		return nil, err
	}
	replaced := make(map[[3]string]bool)
	for _, f := range facts {
		replaced[factKey(f)] = true
	}
	kept = slices.DeleteFunc(kept, func(f attribute.Fact) bool { return replaced[factKey(f)] })
	for _, pair := range attribute.Contradictions(slices.Concat(facts, kept)) {
		wrong = append(wrong, fmt.Sprintf("%s is %s in %s and %s in %s, which overlap",
			pair[0].Attribute, pair[0].Value, pair[0].ID, pair[1].Value, pair[1].ID))
	}
	return wrong, nil
}

func factKey(f attribute.Fact) [3]string {
	return [3]string{string(f.Scope), f.ID, string(f.Attribute)}
}

var factColumns = field.Columns[attribute.Fact]{
	{Name: "scope", Is: "string", Title: "SCOPE",
		Value: func(f attribute.Fact) field.Value { return field.Text(string(f.Scope)) }},
	{Name: "id", Is: "string", Title: "ID", Shrink: 12,
		Value: func(f attribute.Fact) field.Value { return field.Text(f.ID) }},
	{Name: "attribute", Is: "string", Title: "ATTRIBUTE",
		Value: func(f attribute.Fact) field.Value { return field.Text(string(f.Attribute)) }},
	{Name: "value", Is: "string", Title: "VALUE", Shrink: 8,
		Value: func(f attribute.Fact) field.Value { return field.Text(f.Value) }},
	{Title: "CHECKED", Drop: 1, Value: func(f attribute.Fact) field.Value { return field.Optional(checkedOn(f)) }},
	{Name: "source", Is: "string", Title: "SOURCE", Shrink: 12, Drop: 2,
		Value: func(f attribute.Fact) field.Value { return field.Text(f.Source) }},
	{Name: "checked", Is: "string", Value: func(f attribute.Fact) field.Value { return field.Text(checkedOn(f)) }},
}

func checkedOn(f attribute.Fact) string {
	if f.Checked.IsZero() {
		return ""
	}
	return f.Checked.Format(time.DateOnly)
}

func listCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "Print the imported attributes",
		Long:    "Prints the imported attributes. -o csv prints a file that import reads.",
		Example: "  tonne attributes list\n  tonne attributes list -o csv > labels.csv",
	}
	return command.RowsCommand(a, cmd, factColumns, func(ctx context.Context, format output.Format) error {
		origin, err := a.MarketplaceURL()
		if err != nil {
			return err
		}
		local := a.OpenStore()
		defer local.Close()
		facts, err := local.Of(origin).Annotations.Facts(ctx)
		if err != nil {
			return err
		}
		if err := problemOf(local); err != nil {
			return err
		}
		return listing.NewFormats(a, factColumns, slices.Values(facts)).Print(format)
	})
}

// factFields are the columns of a file of attributes.
var factFields = []tabular.Field{
	{Name: "scope"}, {Name: "id", Kind: tabular.ID}, {Name: "attribute"}, {Name: "value"}, {Name: "source"},
	{Name: "checked", Kind: tabular.Date},
}

func readFacts(r *tabular.Records, faults *tabular.FaultsError, now time.Time) []attribute.Fact {
	read := func(record tabular.Record) (attribute.Fact, error) { return factOf(record, now) }
	return filing.Lines(r, faults, read, factKey, "has the same scope, id and attribute as line %d")
}

func factOf(r tabular.Record, now time.Time) (attribute.Fact, error) {
	f := attribute.Fact{
		Scope: attribute.Scope(strings.ToLower(r.Text("scope"))), ID: r.Text("id"),
		Attribute: attribute.Attribute(strings.ToLower(r.Text("attribute"))), Value: r.Text("value"),
		Source: r.Text("source"), Checked: r.Day("checked"),
	}
	if f.Attribute == attribute.CCP || f.Attribute == attribute.Removal {
		f.Value = strings.ToLower(f.Value)
	}
	return f, f.Check(now)
}
