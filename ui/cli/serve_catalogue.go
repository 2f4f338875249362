package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/intake"
	"tonne/api/wire"
	"tonne/ui/cli/output"
)

func (s *serveRun) catalogueCommand() *cobra.Command {
	return s.group("catalogue", "Import and export projects and their vintages", "  tonne serve catalogue import projects.csv\n  tonne serve catalogue export > projects.csv",
		s.importCatalogueCommand(), s.exportCatalogueCommand())
}

func (s *serveRun) importCatalogueCommand() *cobra.Command {
	var format *choice
	cmd := s.command("import FILE", "Add projects and vintages, and change those that differ", "catalogue import projects.csv", writesLocal,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			file, err := s.openLines(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			projects, err := intake.ReadCatalogue(file)
			if err != nil {
				return s.notDone(err, askAbout)
			}
			done, err := m.ImportCatalogue(ctx, projects)
			if err != nil {
				return s.notDone(err, checkDatabase)
			}
			return s.say(format, struct {
				Projects countsObject `json:"projects"`
				Vintages countsObject `json:"vintages"`
			}{countsObject(done.Projects), countsObject(done.Vintages)},
				"projects: "+counted(done.Projects)+"\nvintages: "+counted(done.Vintages))
		})
	cmd.Long = "Reads CSV, a row for each vintage, or the JSON of GET /api/projects; - is standard input.\n" +
		"All of a file is taken in or nothing: each wrong line is named. Projects without an id are\n" +
		"known by registry and name, vintages without one by project and year; what has no id gets\n" +
		"one. What is not in the file stays as it is, and the same file again changes nothing.\n" +
		"Columns: project_id,project_name,type,country,registry_name,registry_project_url,sdgs,\n" +
		"description,vintage_id,vintage_year,registry_vintage_url; semicolons between sdgs."
	format = formatFlag(cmd, output.Table, output.JSON)
	return cmd
}

func (s *serveRun) exportCatalogueCommand() *cobra.Command {
	var format *choice
	cmd := s.command("export", "Print all projects and vintages as a file that import reads", "catalogue export -o json > projects.json", reads,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) error {
			projects, err := m.Catalogue(ctx)
			if err != nil {
				return err
			}
			if format.Format == output.JSON {
				_, err := s.Stdout.Write(append(wire.AppendProjects(nil, projects), '\n'))
				return err
			}
			return intake.WriteCatalogue(s.Stdout, projects)
		})
	format = formatFlag(cmd, output.CSV, output.JSON)
	return cmd
}
