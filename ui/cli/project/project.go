// Package project implements the command `tonne project`: it prints the details of projects.
package project

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type run struct {
	app    *command.App
	format output.Format
}

// Command returns `tonne project`.
func Command(a *command.App) *cobra.Command {
	p := &run{app: a}
	cmd := &cobra.Command{
		Use:   "project [ID...]",
		Short: "Print the details of projects",
		Long:  "Prints type, country, registry and vintages of the given projects, or of all projects.",
		Example: a.Examples(
			"%s project",
			"%s project 003bale00000000001 -o json",
			"%s project -o csv > projects.csv",
		),
		ValidArgsFunction: a.Complete(command.Projects),
		RunE:              command.Do(p.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &p.format)
	return a.Describe(cmd, command.Description{
		Effect: command.Reads,
		Arguments: []command.Argument{{Name: "ID", Description: "ids of projects; all projects if there are none",
			Repeated: true}},
		Outputs: []command.OutputForm{listing.DocumentForm("projects", jsonColumns.Fields),
			command.RowForm("", columns.RowFields(), output.JSONL, output.CSV).In("projects[]")},
	})
}

var columns = field.Columns[model.Project]{
	{Name: "project_id", Is: "string", Value: func(p model.Project) field.Value { return field.Text(p.ID) }},
	{Name: "project_name", Title: "PROJECT", Shrink: 12,
		Value: func(p model.Project) field.Value { return field.Optional(p.Name) }},
	{Title: "ID", Value: func(p model.Project) field.Value { return field.Words(p.ID) }},
	{Name: "type", Title: "TYPE", Shrink: 10, Drop: 1,
		Value: func(p model.Project) field.Value { return field.Optional(p.Type) }},
	{Name: "location", Title: "CC", Value: func(p model.Project) field.Value { return field.Optional(p.Country) }},
	{Name: "registry_name", Title: "REGISTRY", Drop: 2,
		Value: func(p model.Project) field.Value { return field.Optional(p.RegistryName) }},
	{Name: "registry_id", Value: func(p model.Project) field.Value { return field.Optional(p.RegistryID) }},
	{Name: "registry_project_url", Value: func(p model.Project) field.Value { return field.Optional(p.RegistryURL) }},
	{Name: "sdgs", Value: func(p model.Project) field.Value { return field.Text(strings.Join(p.SDGs, "; ")) }},
	{Name: "vintage_ids", Value: func(p model.Project) field.Value {
		return field.Text(vintageList(p, "; ", func(v model.ProjectVintage) string { return v.ID }))
	}},
	{
		Name:  "vintage_years",
		Value: func(p model.Project) field.Value { return field.Text(vintageList(p, "; ", vintageYear)) },
		Title: "VINTAGES", Shrink: 8,
		Cell: func(p model.Project) field.Value { return field.Optional(vintageList(p, " ", vintageYear)) },
	},
	{Name: "description", Value: func(p model.Project) field.Value { return field.Optional(p.Description) }},
}

var jsonColumns = columns.Pick("project_id", "project_name", "type", "location", "registry_project_url", "registry_id",
	"registry_name").With(
	field.Column[model.Project]{Name: "sdgs", Is: "array",
		Value: func(p model.Project) field.Value { return field.Texts(p.SDGs) }},
	columns.Pick("description")[0],
	field.Items("vintages", func(p model.Project) iter.Seq[model.ProjectVintage] { return slices.Values(p.Vintages) },
		field.Columns[model.ProjectVintage]{
			{Name: "vintage_id", Is: "string", Value: func(v model.ProjectVintage) field.Value { return field.Text(v.ID) }},
			{Name: "vintage_year", Is: "number|null",
				Value: func(v model.ProjectVintage) field.Value { return field.Year(int32(v.Year)) }},
			{Name: "registry_vintage_url",
				Value: func(v model.ProjectVintage) field.Value { return field.Optional(v.RegistryURL) }},
		}))

func vintageYear(v model.ProjectVintage) string { return command.YearText(int32(v.Year)) }

func vintageList(p model.Project, separator string, text func(model.ProjectVintage) string) string {
	var all []string
	for _, v := range p.Vintages {
		all = append(all, text(v))
	}
	return strings.Join(all, separator)
}

func (p *run) run(ctx context.Context, _ *cobra.Command, args []string) error {
	client, settings, err := p.app.Connect()
	if err != nil {
		return err
	}
	defer p.app.Disconnect(client)
	at, ids := p.app.Now(), model.Unique(args)
	found, err := client.Projects(ctx, ids...)
	if err != nil {
		return err
	}
	found, missing := asAsked(found, ids)
	if len(found) == 0 && p.format == output.Table && len(missing) > 0 {
		return unknownProjects(missing)
	}
	in := listing.NewFormats(p.app, columns, slices.Values(found))
	in.Document = func() error {
		head := listing.NewEnvelope(at, string(settings.BaseURL), len(found), len(missing) == 0)
		return output.Document(p.app.Data(), head, "projects", jsonColumns.Objects(slices.Values(found)))
	}
	if err := in.Print(p.format); err != nil {
		return err
	}
	if len(missing) > 0 {
		return unknownProjects(missing)
	}
	return nil
}

func unknownProjects(ids []string) error {
	return command.Unmet("not_found", advice.Format("check the ids: %s lists them all", advice.Tonne("project")),
		"the service knows no project %s", strings.Join(ids, ", "))
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
