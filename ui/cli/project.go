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

// projectRun is one run of `tonne project`.
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
		outputs: []outputForm{documentForm("projects", fieldsOf[projectJSON]), rowForm("", projectHeader, output.JSONL, output.CSV)},
	})
}

type projectJSON struct {
	ID           string               `json:"project_id"`
	Name         output.Value         `json:"project_name"`
	Type         output.Value         `json:"type"`
	Location     output.Value         `json:"location"`
	RegistryURL  output.Value         `json:"registry_project_url"`
	RegistryID   output.Value         `json:"registry_id"`
	RegistryName output.Value         `json:"registry_name"`
	SDGs         []string             `json:"sdgs"`
	Description  output.Value         `json:"description"`
	Vintages     []projectVintageJSON `json:"vintages"`
}

type projectVintageJSON struct {
	ID          string       `json:"vintage_id"`
	Year        output.Value `json:"vintage_year" is:"number"`
	RegistryURL output.Value `json:"registry_vintage_url"`
}

func newProjectJSON(p model.Project) projectJSON {
	out := projectJSON{
		ID: p.ID, Name: output.Optional(p.Name), Type: output.Optional(p.Type), Location: output.Optional(p.Country),
		RegistryURL: output.Optional(p.RegistryURL), RegistryID: output.Optional(p.RegistryID), RegistryName: output.Optional(p.RegistryName),
		SDGs: append([]string{}, p.SDGs...), Description: output.Optional(p.Description), Vintages: []projectVintageJSON{},
	}
	for _, v := range p.Vintages {
		out.Vintages = append(out.Vintages, projectVintageJSON{v.ID, output.Year(int32(v.Year)), output.Optional(v.RegistryURL)})
	}
	return out
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
	err = p.print(p.format, formats{
		document: func() error {
			head := envelope{rfc3339(at), string(settings.baseURL), len(found), len(missing) == 0}
			return output.Document(p.data(), head, "projects", projectDocuments(found))
		},
		header: projectHeader,
		rows:   func(rows output.Rows) { projectRows(rows, found) },
		table:  func() *output.Grid { return projectTable(found) },
	})
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

// asAsked puts projects in the order of the ids, and returns the ids that no
// project has.
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

const projectHeader = "project_id,project_name,type,location,registry_name,registry_id,registry_project_url,sdgs,vintage_ids,vintage_years,description"

func projectDocuments(found []model.Project) iter.Seq[projectJSON] {
	documents := make([]projectJSON, len(found))
	for i, project := range found {
		documents[i] = newProjectJSON(project)
	}
	return slices.Values(documents)
}

func projectRows(rows output.Rows, found []model.Project) {
	for _, project := range found {
		ids, years := vintageLists(project)
		rows.Write(output.Text(project.ID), output.Optional(project.Name), output.Optional(project.Type), output.Optional(project.Country),
			output.Optional(project.RegistryName), output.Optional(project.RegistryID), output.Optional(project.RegistryURL),
			output.Text(strings.Join(project.SDGs, "; ")), output.Text(ids), output.Text(years), output.Optional(project.Description))
	}
}

func vintageLists(p model.Project) (ids, years string) {
	var id, year []string
	for _, v := range p.Vintages {
		id = append(id, v.ID)
		year = append(year, yearText(int32(v.Year)))
	}
	return strings.Join(id, "; "), strings.Join(year, "; ")
}

func projectTable(found []model.Project) *output.Grid {
	g := output.NewGrid(
		output.Heading{Title: "PROJECT", Shrink: 12},
		output.Heading{Title: "ID"},
		output.Heading{Title: "TYPE", Shrink: 10, Drop: 1},
		output.Heading{Title: "CC"},
		output.Heading{Title: "REGISTRY", Drop: 2},
		output.Heading{Title: "VINTAGES", Shrink: 8},
	)
	for _, p := range found {
		_, years := vintageLists(p)
		g.Add(dash(p.Name), p.ID, dash(p.Type), dash(p.Country), dash(p.RegistryName), dash(strings.ReplaceAll(years, ";", "")))
	}
	return g
}
