package serve

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/api/wire"
	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/output"
)

func (s *operator) catalogueCommand() *cobra.Command {
	return s.app.Group("catalogue", "Import and export projects and their vintages",
		"  tonne serve catalogue import projects.csv\n  tonne serve catalogue export > projects.csv",
		s.importCatalogueCommand(), s.exportCatalogueCommand())
}

func (s *operator) importCatalogueCommand() *cobra.Command {
	var input *filing.Table
	cmd := changeCommand(s, "import FILE", "Add or update projects and vintages", "catalogue import projects.csv",
		command.WritesLocal, checkDatabase,
		importedCatalogueColumns,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (done exchange.CatalogueCounts, sentence string,
			err error) {
			projects, err := readCatalogue(ctx, input, args[0])
			if err != nil {
				return done, "", err
			}
			done, err = marketplace.Operate(ctx, m, "import the catalogue", func(c *exchange.Change) exchange.CatalogueCounts {
				return exchange.ImportCatalogue(c, projects)
			})
			return done, "projects: " + counted(done.Projects) + "\nvintages: " + counted(done.Vintages), err
		})
	cmd.Long = "Reads CSV or .xlsx with one row per vintage, or the JSON of GET /api/projects; - is standard input.\n" +
		"The import is all-or-nothing; each wrong line is reported. A project without an id is\n" +
		"identified by registry and name, a vintage by project and year; new ones get an id. Projects\n" +
		"and vintages that are not in the file stay unchanged. Importing a file twice changes nothing.\n" +
		"A file may have at most 20,000 lines or objects, and 32 MiB.\n" +
		"Columns: project_id,project_name,type,country,registry_name,registry_project_url,sdgs,\n" +
		"description,vintage_id,vintage_year,registry_vintage_url. Separate sdgs by semicolons."
	input = s.tableFlags(cmd)
	return cmd
}

// tableFlags adds the flags of a command that imports a table.
func (s *operator) tableFlags(cmd *cobra.Command) *filing.Table {
	input := filing.NewTable(s.app, cmd.Flags(), "imported")
	input.Refused = command.Failed
	input.AddColumns(cmd.Flags())
	return input
}

// readCatalogue reads a catalogue as a table or JSON.
func readCatalogue(ctx context.Context, input *filing.Table, path string) ([]exchange.CatalogueProject, error) {
	table, err := input.Read(ctx, path, intake.MaxFile)
	if err != nil {
		return nil, err
	}
	projects, err := intake.ReadProjects(table.Text())
	if !errors.Is(err, intake.ErrNotJSON) {
		return projects, err
	}
	records, faults, err := input.Records(path, table, intake.CatalogueSpec())
	if err != nil {
		return nil, err
	}
	return intake.ReadCatalogue(records, faults)
}

// exportedCatalogue is a catalogue in the format of GET /api/projects.
type exportedCatalogue struct {
	Projects []struct {
		ID           string   `json:"project_id"`
		Name         string   `json:"project_name"`
		Type         string   `json:"type"`
		Location     string   `json:"location"`
		RegistryURL  string   `json:"registry_project_url,omitzero"`
		RegistryID   string   `json:"registry_id,omitzero"`
		RegistryName string   `json:"registry_name,omitzero"`
		SDGs         []string `json:"sdgs"`
		Description  string   `json:"description,omitzero"`
		Vintages     []struct {
			ID          string `json:"vintage_id"`
			Year        int    `json:"vintage_year"`
			RegistryURL string `json:"registry_vintage_url,omitzero"`
		} `json:"vintages"`
	} `json:"projects"`
}

func (s *operator) exportCatalogueCommand() *cobra.Command {
	var format output.Format
	cmd := s.command("export", "Print all projects and vintages in the format that import reads",
		"catalogue export -o json > projects.json", command.Reads,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) error {
			projects, err := exchange.Read(ctx, m, exchange.AllProjects)
			if err != nil {
				return err
			}
			if format == output.JSON {
				_, err := s.app.Data().Write(append(wire.AppendProjects(nil, projects), '\n'))
				return err
			}
			return intake.WriteCatalogue(s.app.Data(), projects)
		})
	s.app.Prints(cmd, command.RowForm("", catalogueFields(), output.CSV),
		command.ObjectForm[exportedCatalogue]("", output.JSON))
	command.FormatFlag(cmd, &format, output.CSV, output.JSON)
	return cmd
}

func catalogueFields() (fields []field.Path) {
	for _, name := range intake.CatalogueColumns {
		fields = append(fields, field.Path{Name: name, Types: []string{"string"}})
	}
	return fields
}
