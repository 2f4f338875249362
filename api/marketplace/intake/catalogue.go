package intake

import (
	"bytes"
	"io"

	"tonne/api/marketplace/exchange"
)

// ReadCatalogue reads projects and vintages from CSV, a row for each vintage,
// or from the JSON of GET /api/projects (interface section 4.4). The error is
// an *exchange.FileError where a line is wrong.
func ReadCatalogue(r io.Reader) ([]exchange.CatalogueProject, error) {
	var f faults
	text, err := readFile(r, &f)
	if err != nil {
		return nil, err
	}
	var projects []exchange.CatalogueProject
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && start[0] == '{' {
		projects = readProjects(text, &f)
	} else {
		projects = readCatalogueRows(text, &f)
	}
	f.catalogue(projects)
	return projects, f.Err()
}

func (f *faults) catalogue(projects []exchange.CatalogueProject) {
	ids, vintages := make(map[string]int), make(map[string]int)
	for _, p := range projects {
		f.project(p)
		f.once(ids, p.Line, "project_id", p.ID)
		for _, v := range p.Vintages {
			f.vintage(v)
			f.once(vintages, v.Line, "vintage_id", v.ID)
		}
	}
}

func (f *faults) once(lines map[string]int, line int, name, id string) {
	if id == "" {
		return
	}
	if before := lines[id]; before > 0 {
		f.Add(line, "has the %s of line %d", name, before)
		return
	}
	lines[id] = line
}
