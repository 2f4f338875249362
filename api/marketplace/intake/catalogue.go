package intake

import (
	"bytes"
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// ReadCatalogue reads projects from CSV with one row per vintage, or from the JSON of
// GET /api/projects (interface section 4.4). The error may be an *exchange.FileError.
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
		f.Add(line, "repeats the %s of line %d", name, before)
		return
	}
	lines[id] = line
}

// CatalogueColumns are the columns of a catalogue, in the order of the CSV file.
var CatalogueColumns = []string{
	"project_id", "project_name", "type", "country", "registry_name", "registry_project_url", "sdgs", "description",
	"vintage_id", "vintage_year", "registry_vintage_url",
}

const betweenSDGs = ";"

// readCatalogueRows groups rows without an id by registry and name.
func readCatalogueRows(text []byte, f *faults) []exchange.CatalogueProject {
	var projects []exchange.CatalogueProject
	at := make(map[[3]string]int)
	for _, r := range readRows(text, CatalogueColumns, nil, f) {
		p := projectOf(r)
		key := [3]string{p.ID}
		if p.ID == "" {
			key = [3]string{"", p.RegistryName, p.Name}
		}
		i, known := at[key]
		if !known {
			i, at[key] = len(projects), len(projects)
			projects = append(projects, p)
		} else if first := projects[i]; !reflect.DeepEqual(first.Project, p.Project) {
			f.Add(p.Line, "describes its project differently from line %d", first.Line)
		}
		if v, some := vintageOf(r); some {
			projects[i].Vintages = append(projects[i].Vintages, v)
		}
	}
	return projects
}

func projectOf(r row) exchange.CatalogueProject {
	p := model.Project{
		ID: strings.TrimSpace(r.cells["project_id"]), Name: r.cells["project_name"], Type: r.cells["type"],
		Country: strings.TrimSpace(r.cells["country"]), RegistryName: r.cells["registry_name"],
		RegistryURL: strings.TrimSpace(r.cells["registry_project_url"]), Description: r.cells["description"],
	}
	for name := range strings.SplitSeq(r.cells["sdgs"], betweenSDGs) {
		if name = strings.TrimSpace(name); name != "" {
			p.SDGs = append(p.SDGs, name)
		}
	}
	return exchange.CatalogueProject{Line: r.line, Project: p}
}

func vintageOf(r row) (v exchange.CatalogueVintage, some bool) {
	v.Line = r.line
	v.ID, v.RegistryURL = strings.TrimSpace(r.cells["vintage_id"]), strings.TrimSpace(r.cells["registry_vintage_url"])
	year := strings.TrimSpace(r.cells["vintage_year"])
	if year == "" && v.ID == "" && v.RegistryURL == "" {
		return v, false
	}
	// An invalid year becomes 0, which is out of range.
	n, _ := strconv.ParseUint(year, 10, 16)
	v.Year = int(n)
	return v, true
}

// WriteCatalogue writes a catalogue as CSV, from which ReadCatalogue returns equal projects.
// The names of SDGs must not contain semicolons.
func WriteCatalogue(w io.Writer, projects []model.Project) error {
	out := csv.NewWriter(w)
	if err := out.Write(CatalogueColumns); err != nil {
		return err
	}
	for _, p := range projects {
		cells := []string{p.ID, p.Name, p.Type, p.Country, p.RegistryName, p.RegistryURL, strings.Join(p.SDGs, betweenSDGs), p.Description}
		vintages := p.Vintages
		if len(vintages) == 0 {
			vintages = []model.ProjectVintage{{}}
		}
		for _, v := range vintages {
			year := ""
			if v != (model.ProjectVintage{}) {
				year = strconv.Itoa(v.Year)
			}
			record := append(cells[:len(cells):len(cells)], v.ID, year, v.RegistryURL)
			for i := range record {
				record[i] = guarded(record[i])
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
