package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/output"
)

func (a *app) attributesProposeCommand() *cobra.Command {
	return a.factsCommand(&cobra.Command{
		Use:   "propose",
		Short: "Print what the types of the projects make likely, for you to confirm",
		Long: "Prints what the types of the projects that this machine knows propose, such as removal for\n" +
			"biochar, where you have told nothing. A proposal is no fact: evidence and statements do not\n" +
			"have it. To confirm one, add the page that says so and the day on which you read it to a\n" +
			"line of -o csv, and import that.",
		Example: "  tonne attributes propose\n  tonne attributes propose -o csv > labels.csv",
	}, a.proposeFacts)
}

// proposeFacts prints proposals as facts without a source and a day: such lines
// are refused until somebody adds both.
func (a *app) proposeFacts(ctx context.Context, format output.Format) error {
	origin, err := a.marketplaceURL()
	if err != nil {
		return err
	}
	local := a.openStore()
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
		return failed("the projects and the attributes are in that file", "%v", problem)
	}
	return a.printFacts(format, model.NewBuyerFacts(facts).Proposals(projects), "nothing is proposed that you have not told; `tonne market` learns of more projects")
}
