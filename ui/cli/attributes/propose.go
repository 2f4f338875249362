package attributes

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/output"
)

func attributesProposeCommand(a *command.App) *cobra.Command {
	return factsCommand(a, &cobra.Command{
		Use:   "propose",
		Short: "Print what the types of the projects make likely, for you to confirm",
		Long: "Prints what the types of the projects that this machine knows propose, such as removal for\n" +
			"biochar, where you have told nothing. A proposal is no fact: evidence and statements do not\n" +
			"have it. To confirm one, add the page that says so and the day on which you read it to a\n" +
			"line of -o csv, and import that.",
		Example: "  tonne attributes propose\n  tonne attributes propose -o csv > labels.csv",
	}, func(ctx context.Context, format output.Format) error { return proposeFacts(a, ctx, format) })
}

// proposeFacts prints proposals as facts without a source and a day: such lines
// are refused until somebody adds both.
func proposeFacts(a *command.App, ctx context.Context, format output.Format) error {
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
		return command.Failed("the projects and the attributes are in that file", "%v", problem)
	}
	return printFacts(a, format, model.NewBuyerFacts(facts).Proposals(projects), "nothing is proposed that you have not told; `tonne market` learns of more projects")
}
