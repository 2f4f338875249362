package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"tonne/model"
	"tonne/model/retirement"
)

// CatalogueProject is a project in a line of a catalogue. Its id may be empty.
type CatalogueProject struct {
	Line int
	model.Project
	Vintages []CatalogueVintage
}

// CatalogueVintage is a vintage in a line of a catalogue. Its id may be empty.
type CatalogueVintage struct {
	Line int
	model.ProjectVintage
}

// CatalogueCounts is the result of an import.
type CatalogueCounts struct{ Projects, Vintages Counts }

// ImportCatalogue adds the projects and vintages of a catalogue, and changes those that
// differ. A project without an id is identified by its registry and name, a vintage without
// an id by its project and year. It fails with a *FileError.
func ImportCatalogue(c *Change, projects []CatalogueProject) CatalogueCounts {
	i := catalogueImport{Change: c, projects: make(map[int64]int), vintages: make(map[int64]int)}
	for _, p := range projects {
		i.project(p)
	}
	c.Fail(i.faults.Err())
	if i.Projects.Added+i.Projects.Changed+i.Vintages.Added+i.Vintages.Changed > 0 {
		c.Audit("import catalogue", "", fmt.Sprintf("projects %d added, %d changed; vintages %d added, %d changed",
			i.Projects.Added, i.Projects.Changed, i.Vintages.Added, i.Vintages.Changed))
	}
	return i.CatalogueCounts
}

type catalogueImport struct {
	*Change
	CatalogueCounts
	faults FileError
	// projects and vintages map their numbers to the lines that named them.
	projects, vintages map[int64]int
}

func (i *catalogueImport) project(p CatalogueProject) {
	registry := i.registry(p)
	old := i.find(p, registry)
	if before := i.projects[old.Number]; before > 0 {
		i.faults.Add(p.Line, "repeats the project of line %d", before)
		return
	}
	number := i.write(p, registry, old)
	i.projects[number] = p.Line
	existing := vintagesOf(i, number)
	for _, v := range p.Vintages {
		i.vintage(v, number, &existing)
	}
}

func (i *catalogueImport) registry(p CatalogueProject) int64 {
	if known := number(i, "SELECT number FROM registries WHERE name = $1", p.RegistryName); known > 0 {
		return known
	}
	id := p.RegistryID
	_, ofProject := retirement.RegistryNumber(model.Project{RegistryID: id})
	if id == "" || ofProject != "" || exists(i, "SELECT 1 FROM registries WHERE id = $1", id) {
		id = i.NewID(RegistryID)
	}
	return AddRegistry(i.Change, id, p.RegistryName)
}

func (i *catalogueImport) find(p CatalogueProject, registry int64) (old Listed) {
	where, args := "WHERE p.registry = $1 AND p.name = $2 ORDER BY p.number", []any{registry, p.Name}
	if p.ID != "" {
		where, args = "WHERE p.id = $1", []any{p.ID}
	}
	named := listed(i, where, args...)
	if len(named) > 1 {
		i.faults.Add(p.Line, "is ambiguous: there are %d projects of %s with the name %s; give the project_id", len(named),
			p.RegistryName, p.Name)
	}
	if len(named) > 0 {
		old = named[0]
	}
	return old
}

func (i *catalogueImport) write(p CatalogueProject, registry int64, old Listed) int64 {
	n := Listed{Project: p.Project, Number: old.Number, Registry: registry}
	_, given := retirement.RegistryNumber(p.Project)
	n.RegistryNumber = cmp.Or(given, old.RegistryNumber)
	n.ID = cmp.Or(n.ID, old.ID, i.NewID(ProjectID))
	added := old.Number == 0
	changed := !added && !n.same(old)
	i.Projects.count(added, changed)
	if added {
		return AddProject(i.Change, n)
	}
	if changed && !n.sameName(old) {
		addFormer(i.Change, old)
	}
	if changed {
		changeProject(i.Change, n)
	}
	return n.Number
}

func (p Listed) sameName(q Listed) bool {
	return p.Name == q.Name && p.Type == q.Type && p.Country == q.Country && p.Registry == q.Registry &&
		p.RegistryNumber == q.RegistryNumber && p.RegistryURL == q.RegistryURL
}

func (p Listed) same(q Listed) bool {
	return p.sameName(q) && p.Description == q.Description && slices.Equal(p.SDGs, q.SDGs)
}

func (i *catalogueImport) vintage(v CatalogueVintage, project int64, existing *[]ListedVintage) {
	if other := findVintage(i.Change, v.ID); other.Number > 0 && other.Project != project {
		i.faults.Add(v.Line, "has the vintage_id of another project")
		return
	}
	old := i.findVintage(v, *existing)
	if before := i.vintages[old.Vintage.Number]; before > 0 {
		i.faults.Add(v.Line, "repeats the vintage of line %d", before)
		return
	}
	n := ListedVintage{Vintage{old.Vintage.Number, project}, v.ProjectVintage}
	n.ID = cmp.Or(n.ID, old.ID, i.NewID(VintageID))
	added := old.Vintage.Number == 0
	changed := !added && n != old
	i.Vintages.count(added, changed)
	switch {
	case changed:
		i.changeVintage(v.Line, n, old)
	case added:
		// The batch size matters only for the invented serial numbers of a demo.
		n.Vintage.Number = AddVintage(i.Change, n, 1, 1_000_000)
		*existing = append(*existing, n)
	}
	i.vintages[n.Vintage.Number] = v.Line
}

func (i *catalogueImport) findVintage(v CatalogueVintage, existing []ListedVintage) (old ListedVintage) {
	count := 0
	for _, one := range existing {
		if v.ID != "" && one.ID == v.ID || v.ID == "" && one.Year == v.Year {
			old = one
			count++
		}
	}
	if count > 1 {
		i.faults.Add(v.Line, "is ambiguous: there are %d vintages of %d; give the vintage_id", count, v.Year)
	}
	return old
}

func (i *catalogueImport) changeVintage(line int, n, old ListedVintage) {
	if n.Year != old.Year &&
		exists(i, "SELECT 1 FROM sell_orders WHERE project = $1 AND vintage = $2 LIMIT 1", old.Project, old.Vintage.Number) {
		i.faults.Add(line, "changes the year of a vintage that was already offered for sale: keep %d", old.Year)
	}
	i.Do("UPDATE vintages SET year = $1, registry_url = $2 WHERE number = $3", n.Year, n.RegistryURL, n.Vintage.Number)
}
