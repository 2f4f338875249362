// Package attributes is `tonne attributes`: what the buyer knows of credits, read
// from a CSV file and kept in the store of this machine.
package attributes

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// Command returns `tonne attributes`.
func Command(a *command.App) *cobra.Command {
	cmd := a.Group("attributes", "Keep what you know of credits and the service does not say",
		"  tonne attributes import labels.csv\n  tonne attributes list\n  tonne attributes propose",
		importCommand(a), listCommand(a), proposeCommand(a))
	cmd.Long = "Methodology, removal or reduction, CCP label, CORSIA phase, Article 6 status and verifier\n" +
		"of a project, a vintage or a block of serial numbers, each with the page that says so and\n" +
		"the day on which you read it. Evidence and statements have columns for them. What is said\n" +
		"of a serial number counts before what is said of its vintage, and that before the project;\n" +
		"what nobody has told is \"not supplied\", and is never guessed."
	return cmd
}

func importCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE.csv",
		Short: "Take attributes from a file, all or none",
		Long: "Reads CSV with the columns " + factColumns.Header() + ". The scope is\n" +
			"project, vintage or serial; the attribute is methodology, removal (removal or reduction),\n" +
			"ccp (yes or no), corsia, article6 or verifier; the source is an https address, and checked\n" +
			"is a day such as 2026-03-01. A line replaces what was known of the same; one without a\n" +
			"value takes it back. `tonne attributes list -o csv` prints such a file.",
		Example: "  tonne attributes import labels.csv\n  tonne attributes list -o csv > labels.csv",
		Args:    cobra.ExactArgs(1),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return importFacts(ctx, a, args[0])
		}),
	}
	a.ConnectionFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.WritesLocal, Arguments: []command.Argument{{Name: "FILE.csv", Description: "the file of attributes", Required: true}},
	})
}

// longestFacts is the longest file of attributes that is read, in bytes.
const longestFacts = 64 << 20

func importFacts(ctx context.Context, a *command.App, path string) error {
	origin, err := a.MarketplaceURL()
	if err != nil {
		return err
	}
	file, err := localfile.Open(path, longestFacts)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer file.Close()
	facts, wrong := readFacts(io.LimitReader(file, longestFacts), a.Now())
	local := a.OpenStore()
	defer local.Close()
	if len(wrong) == 0 {
		if wrong, err = contradict(ctx, local, origin, facts); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return command.Failed("correct the file and import it again; nothing of it was taken", "%s: %s", path, filing.SomeOf(wrong))
	}
	if err := local.PutFacts(ctx, origin, facts); err != nil {
		return err
	}
	if problem := local.Problem(); problem != nil {
		return command.Failed("the attributes are kept in that file", "%v", problem)
	}
	taken := model.Count(len(facts), "attribute was", "attributes were")
	a.Confirm("%s taken from %s.", taken, path)
	return warnOfStrangers(ctx, a, local, origin, facts)
}

// warnOfStrangers tells of ids that are of nothing that this machine knows: a slip
// in one labels nothing. A machine that knows nothing yet cannot tell, and serial
// numbers of credits that are not retired are never known.
func warnOfStrangers(ctx context.Context, a *command.App, local *store.Store, origin string, facts []model.BuyerFact) error {
	projects, err := local.Projects(ctx, origin)
	if err != nil {
		return err
	}
	entries, err := local.Ledger(ctx, origin)
	if err != nil {
		return err
	}
	known := make(map[model.FactScope]map[string]bool)
	for _, scope := range [...]model.FactScope{model.OfProject, model.OfVintage} {
		known[scope] = make(map[string]bool)
	}
	for id, p := range projects {
		known[model.OfProject][id] = true
		for _, v := range p.Vintages {
			known[model.OfVintage][v.ID] = true
		}
	}
	for _, r := range audit.Answered(entries) {
		known[model.OfProject][r.ProjectID], known[model.OfVintage][r.VintageID] = true, true
	}
	var strangers []string
	for _, f := range facts {
		if ids := known[f.Scope]; len(ids) > 0 && !ids[f.ID] {
			strangers = append(strangers, f.ID)
			ids[f.ID] = true
		}
	}
	if len(strangers) > 0 {
		a.Warn("%s of no project or vintage that this machine knows, and may be a slip: %s", model.Count(len(strangers), "id is", "ids are"), filing.SomeOf(strangers))
	}
	return nil
}

// contradict returns what facts say against each other and against those that
// are kept.
func contradict(ctx context.Context, local *store.Store, origin string, facts []model.BuyerFact) (wrong []string, err error) {
	kept, err := local.Facts(ctx, origin)
	if err != nil {
		return nil, err
	}
	replaced := make(map[[3]string]bool)
	for _, f := range facts {
		replaced[factKey(f)] = true
	}
	kept = slices.DeleteFunc(kept, func(f model.BuyerFact) bool { return replaced[factKey(f)] })
	for _, pair := range model.Contradictions(slices.Concat(facts, kept)) {
		wrong = append(wrong, fmt.Sprintf("%s is %s in %s and %s in %s, which overlap",
			pair[0].Attribute, pair[0].Value, pair[0].ID, pair[1].Value, pair[1].ID))
	}
	return wrong, nil
}

// factKey is what a fact is about: of two about the same one counts.
func factKey(f model.BuyerFact) [3]string {
	return [3]string{string(f.Scope), f.ID, string(f.Attribute)}
}

func listCommand(a *command.App) *cobra.Command {
	return factsCommand(a, &cobra.Command{
		Use:     "list",
		Short:   "Print the attributes that are known",
		Long:    "Prints the attributes that were imported and not taken back; -o csv is a file that import reads.",
		Example: "  tonne attributes list\n  tonne attributes list -o csv > labels.csv",
	}, "the attributes are", "", func(facts []model.BuyerFact, _ model.Projects) []model.BuyerFact { return facts })
}

var factColumns = output.Columns[model.BuyerFact]{
	{Name: "scope", Is: "string", Title: "SCOPE", Value: func(f model.BuyerFact) output.Value { return output.Text(string(f.Scope)) }},
	{Name: "id", Is: "string", Title: "ID", Shrink: 12, Value: func(f model.BuyerFact) output.Value { return output.Text(f.ID) }},
	{Name: "attribute", Is: "string", Title: "ATTRIBUTE", Value: func(f model.BuyerFact) output.Value { return output.Text(string(f.Attribute)) }},
	{Name: "value", Is: "string", Title: "VALUE", Shrink: 8, Value: func(f model.BuyerFact) output.Value { return output.Text(f.Value) }},
	{Title: "CHECKED", Drop: 1, Cell: func(f model.BuyerFact) string { return command.Dash(checkedOn(f)) }},
	{Name: "source", Is: "string", Title: "SOURCE", Shrink: 12, Drop: 2, Value: func(f model.BuyerFact) output.Value { return output.Text(f.Source) }},
	{Name: "checked", Is: "string", Value: func(f model.BuyerFact) output.Value { return output.Text(checkedOn(f)) }},
}

func checkedOn(f model.BuyerFact) string {
	if f.Checked.IsZero() {
		return ""
	}
	return f.Checked.Format(time.DateOnly)
}

// factsCommand is a command without arguments that prints facts of those that are known
// and of the projects. Kept says what is in the store, none that there are no such facts.
func factsCommand(a *command.App, cmd *cobra.Command, kept, none string, of func([]model.BuyerFact, model.Projects) []model.BuyerFact) *cobra.Command {
	form := command.OutputForm{Formats: []output.Format{output.JSON}, Fields: factColumns.Fields("[].")}
	return a.RowsCommand(cmd, form, factColumns.Header(), func(ctx context.Context, format output.Format) error {
		origin, err := a.MarketplaceURL()
		if err != nil {
			return err
		}
		local := a.OpenStore()
		defer local.Close()
		facts, err := local.Facts(ctx, origin)
		if err != nil {
			return err
		}
		projects, err := local.Projects(ctx, origin)
		if err != nil {
			return err
		}
		if problem := local.Problem(); problem != nil {
			return command.Failed(kept+" in that file", "%v", problem)
		}
		in := listing.NewFormats(a, factColumns, slices.Values(of(facts, projects)))
		in.None = none
		return in.Print(format)
	})
}

// proposeCommand prints proposals as facts without a source and a day: such lines are
// refused until you add both.
func proposeCommand(a *command.App) *cobra.Command {
	return factsCommand(a, &cobra.Command{
		Use:   "propose",
		Short: "Print what the types of the projects make likely, for you to confirm",
		Long: "Prints what the types of the projects that this machine knows propose, such as removal for\n" +
			"biochar, where you have told nothing. A proposal is no fact: evidence and statements do not\n" +
			"have it. To confirm one, add the page that says so and the day on which you read it to a\n" +
			"line of -o csv, and import that.",
		Example: "  tonne attributes propose\n  tonne attributes propose -o csv > labels.csv",
	}, "the projects and the attributes are", "nothing is proposed that you have not told; `tonne market` learns of more projects", func(facts []model.BuyerFact, projects model.Projects) []model.BuyerFact {
		return model.NewBuyerFacts(facts).Proposals(projects)
	})
}
