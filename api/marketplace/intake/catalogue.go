package intake

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/file/tabular"
)

// CatalogueSpec describes a table with one row per vintage.
func CatalogueSpec() tabular.Spec {
	s := tabular.Spec{Strict: true}
	for _, name := range CatalogueColumns {
		kind := tabular.Text
		if strings.HasSuffix(name, "_id") {
			kind = tabular.ID
		}
		s.Fields = append(s.Fields, tabular.Field{Name: name, Kind: kind})
	}
	return s
}

// ReadCatalogue reads projects from a table. The faults are those of the lines that it lacks. The
// error may be an *exchange.FileError.
func ReadCatalogue(r *tabular.Records, of *tabular.FaultsError) ([]exchange.CatalogueProject, error) {
	var f faults
	f.addTable(of)
	projects := readCatalogueRows(r, &f)
	f.catalogue(projects)
	f.sort()
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
func readCatalogueRows(table *tabular.Records, f *faults) []exchange.CatalogueProject {
	var projects []exchange.CatalogueProject
	at := make(map[[3]string]int)
	rows := 0
	for r := range table.All() {
		if rows++; rows > MaxLines {
			f.Add(r.Line, "exceeds the limit of %d lines: split the file", MaxLines)
			break
		}
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

func projectOf(r tabular.Record) exchange.CatalogueProject {
	p := model.Project{
		ID: r.Text("project_id"), Name: r.Text("project_name"), Type: r.Text("type"),
		Country: r.Text("country"), RegistryName: r.Text("registry_name"),
		RegistryURL: r.Text("registry_project_url"), Description: r.Text("description"),
	}
	for name := range strings.SplitSeq(r.Text("sdgs"), betweenSDGs) {
		if name = strings.TrimSpace(name); name != "" {
			p.SDGs = append(p.SDGs, name)
		}
	}
	return exchange.CatalogueProject{Line: r.Line, Project: p}
}

func vintageOf(r tabular.Record) (v exchange.CatalogueVintage, some bool) {
	v.Line = r.Line
	v.ID, v.RegistryURL = r.Text("vintage_id"), r.Text("registry_vintage_url")
	year := r.Text("vintage_year")
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
		cells := []string{p.ID, p.Name, p.Type, p.Country, p.RegistryName, p.RegistryURL, strings.Join(p.SDGs, betweenSDGs),
			p.Description}
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
