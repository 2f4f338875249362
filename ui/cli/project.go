package cli

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/output"
)

type projectRun struct {
	*app
	format output.Format
}

func (a *app) projectCommand() *cobra.Command {
	p := &projectRun{app: a}
	cmd := &cobra.Command{
		Use:   "project [ID...]",
		Short: "Print the details of projects",
		Long:  "Prints type, country, registry and vintages of the projects with the ids, or of all.",
		Example: "  tonne project\n" +
			"  tonne project 003bale00000000001 -o json\n" +
			"  tonne project -o csv > projects.csv",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeProjectIDs,
		RunE:              do(p.run),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &p.format)
	return a.describe(cmd, description{
		effect: reads, arguments: []argument{{Name: "ID", Description: "ids of projects; none stands for all", Repeated: true}},
		outputs: []outputForm{documentForm("projects", projectJSON.Fields), rowForm("", projectColumns.Header(), output.JSONL, output.CSV)},
	})
}

var projectColumns = output.Columns[model.Project]{
	{Name: "project_id", Is: "string", Value: func(p model.Project) output.Value { return output.Text(p.ID) }},
	{Name: "project_name", Title: "PROJECT", Shrink: 12, Value: func(p model.Project) output.Value { return output.Optional(p.Name) }},
	{Title: "ID", Cell: func(p model.Project) string { return p.ID }},
	{Name: "type", Title: "TYPE", Shrink: 10, Drop: 1, Value: func(p model.Project) output.Value { return output.Optional(p.Type) }},
	{Name: "location", Title: "CC", Value: func(p model.Project) output.Value { return output.Optional(p.Country) }},
	{Name: "registry_name", Title: "REGISTRY", Drop: 2, Value: func(p model.Project) output.Value { return output.Optional(p.RegistryName) }},
	{Name: "registry_id", Value: func(p model.Project) output.Value { return output.Optional(p.RegistryID) }},
	{Name: "registry_project_url", Value: func(p model.Project) output.Value { return output.Optional(p.RegistryURL) }},
	{Name: "sdgs", Value: func(p model.Project) output.Value { return output.Text(strings.Join(p.SDGs, "; ")) }},
	{Name: "vintage_ids", Value: func(p model.Project) output.Value { return output.Text(vintageList(p, "; ", vintageID)) }},
	{
		Name: "vintage_years", Value: func(p model.Project) output.Value { return output.Text(vintageList(p, "; ", vintageYear)) },
		Title: "VINTAGES", Shrink: 8, Cell: func(p model.Project) string { return dash(vintageList(p, " ", vintageYear)) },
	},
	{Name: "description", Value: func(p model.Project) output.Value { return output.Optional(p.Description) }},
}

var projectJSON = projectColumns.Pick("project_id", "project_name", "type", "location", "registry_project_url", "registry_id", "registry_name").With(
	output.Column[model.Project]{Name: "sdgs", Is: "array", Value: func(p model.Project) output.Value { return output.Texts(p.SDGs) }},
	projectColumns.Pick("description")[0],
	output.Array("vintages", func(p model.Project) iter.Seq[model.ProjectVintage] { return slices.Values(p.Vintages) }, output.Columns[model.ProjectVintage]{
		{Name: "vintage_id", Is: "string", Value: func(v model.ProjectVintage) output.Value { return output.Text(v.ID) }},
		{Name: "vintage_year", Is: "number|null", Value: func(v model.ProjectVintage) output.Value { return output.Year(int32(v.Year)) }},
		{Name: "registry_vintage_url", Value: func(v model.ProjectVintage) output.Value { return output.Optional(v.RegistryURL) }},
	}))

func vintageID(v model.ProjectVintage) string   { return v.ID }
func vintageYear(v model.ProjectVintage) string { return yearText(int32(v.Year)) }

func vintageList(p model.Project, separator string, text func(model.ProjectVintage) string) string {
	var all []string
	for _, v := range p.Vintages {
		all = append(all, text(v))
	}
	return strings.Join(all, separator)
}

func (p *projectRun) run(ctx context.Context, _ *cobra.Command, args []string) error {
	client, settings, err := p.connect()
	if err != nil {
		return err
	}
	defer p.disconnect(client)
	at, ids := p.Now(), once(args)
	found, err := client.Projects(ctx, ids...)
	if err != nil {
		return err
	}
	found, missing := asAsked(found, ids)
	if len(found) == 0 && p.format == output.Table && len(missing) > 0 {
		return unknownProjects(missing)
	}
	in := rowFormats(projectColumns, slices.Values(found))
	in.document = func() error {
		head := envelope{rfc3339(at), string(settings.baseURL), len(found), len(missing) == 0}
		return output.Document(p.data(), head, "projects", projectJSON.Objects(slices.Values(found)))
	}
	err = p.print(p.format, in)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return unknownProjects(missing)
	}
	return nil
}

func unknownProjects(ids []string) error {
	return unmet("not_found", "check the ids: `tonne project` lists them all", "the service knows no project %s", strings.Join(ids, ", "))
}

func asAsked(found []model.Project, ids []string) (ordered []model.Project, missing []string) {
	if len(ids) == 0 {
		return found, nil
	}
	for _, id := range ids {
		i := slices.IndexFunc(found, func(p model.Project) bool { return p.ID == id })
		if i < 0 {
			missing = append(missing, id)
			continue
		}
		ordered = append(ordered, found[i])
	}
	return ordered, missing
}
