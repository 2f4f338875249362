package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/print"
)

// projectRun is one run of `tonne project`.
type projectRun struct {
	*app
	format print.Format
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
	return cmd
}

type projectJSON struct {
	ID           string               `json:"project_id"`
	Name         print.Value          `json:"project_name"`
	Type         print.Value          `json:"type"`
	Location     print.Value          `json:"location"`
	RegistryURL  print.Value          `json:"registry_project_url"`
	RegistryID   print.Value          `json:"registry_id"`
	RegistryName print.Value          `json:"registry_name"`
	SDGs         []string             `json:"sdgs"`
	Description  print.Value          `json:"description"`
	Vintages     []projectVintageJSON `json:"vintages"`
}

type projectVintageJSON struct {
	ID          string      `json:"vintage_id"`
	Year        print.Value `json:"vintage_year"`
	RegistryURL print.Value `json:"registry_vintage_url"`
}

func newProjectJSON(p model.Project) projectJSON {
	out := projectJSON{
		ID: p.ID, Name: print.Optional(p.Name), Type: print.Optional(p.Type), Location: print.Optional(p.Country),
		RegistryURL: print.Optional(p.RegistryURL), RegistryID: print.Optional(p.RegistryID), RegistryName: print.Optional(p.RegistryName),
		SDGs: append([]string{}, p.SDGs...), Description: print.Optional(p.Description), Vintages: []projectVintageJSON{},
	}
	for _, v := range p.Vintages {
		out.Vintages = append(out.Vintages, projectVintageJSON{v.ID, print.Year(int32(v.Year)), print.Optional(v.RegistryURL)})
	}
	return out
}

func (p *projectRun) run(ctx context.Context, _ *cobra.Command, args []string) error {
	client, settings, err := p.connect()
	if err != nil {
		return err
	}
	defer client.Close()
	at, ids := p.Now(), once(args)
	found, err := client.Projects(ctx, ids...)
	if err != nil {
		return err
	}
	found, missing := asAsked(found, ids)
	if err := p.print(found, envelope{rfc3339(at), string(settings.baseURL), len(found)}); err != nil {
		return err
	}
	if len(missing) > 0 {
		return &failure{
			what: "the service knows no project " + strings.Join(missing, ", "),
			todo: "check the ids: `tonne project` lists them all", status: statusNotFound,
		}
	}
	return nil
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

func (p *projectRun) print(found []model.Project, head envelope) error {
	switch p.format {
	case print.JSON:
		return print.Document(p.Stdout, head, "projects", func(yield func(projectJSON) bool) {
			for _, project := range found {
				if !yield(newProjectJSON(project)) {
					return
				}
			}
		})
	case print.Table:
		return p.grid(projectTable(found))
	}
	rows, err := print.NewRows(p.Stdout, p.format, projectHeader)
	if err != nil {
		return err
	}
	for _, project := range found {
		ids, years := vintageLists(project)
		err := rows.Write(print.Text(project.ID), print.Optional(project.Name), print.Optional(project.Type), print.Optional(project.Country),
			print.Optional(project.RegistryName), print.Optional(project.RegistryID), print.Optional(project.RegistryURL),
			print.Text(strings.Join(project.SDGs, "; ")), print.Text(ids), print.Text(years), print.Optional(project.Description))
		if err != nil {
			return err
		}
	}
	return rows.Flush()
}

func vintageLists(p model.Project) (ids, years string) {
	var id, year []string
	for _, v := range p.Vintages {
		id = append(id, v.ID)
		year = append(year, yearText(int32(v.Year)))
	}
	return strings.Join(id, "; "), strings.Join(year, "; ")
}

func projectTable(found []model.Project) *print.Grid {
	g := print.NewGrid(
		print.Column{Title: "PROJECT", Shrink: 12},
		print.Column{Title: "ID"},
		print.Column{Title: "TYPE", Shrink: 10, Drop: 1},
		print.Column{Title: "CC"},
		print.Column{Title: "REGISTRY", Drop: 2},
		print.Column{Title: "VINTAGES", Shrink: 8},
	)
	for _, p := range found {
		_, years := vintageLists(p)
		g.Add(dash(p.Name), p.ID, dash(p.Type), dash(p.Country), dash(p.RegistryName), dash(strings.ReplaceAll(years, ";", "")))
	}
	return g
}
