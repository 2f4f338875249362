package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"tonne/model"
)

// CatalogueProject is a project of a file, CatalogueVintage one of its
// vintages. Line is where it stands. An empty id is one that is not known.
type (
	CatalogueProject struct {
		Line int
		model.Project
		Vintages []CatalogueVintage
	}
	CatalogueVintage struct {
		Line int
		model.ProjectVintage
	}
)

// CatalogueCounts says what a catalogue did.
type CatalogueCounts struct{ Projects, Vintages Counts }

// ImportCatalogue adds the projects and vintages of a file, and changes those
// that differ from what is there. Projects without an id are known by their
// registry and name, vintages without one by their project and year. What is
// not in the file stays. The error is a *FileError where a line does not fit
// what is there.
func (c *Change) ImportCatalogue(projects []CatalogueProject) (CatalogueCounts, error) {
	i := catalogueImport{Change: c, projects: make(map[int64]int), vintages: make(map[int64]int)}
	for _, p := range projects {
		if err := i.project(p); err != nil {
			return CatalogueCounts{}, err
		}
	}
	if err := i.faults.Err(); err != nil {
		return CatalogueCounts{}, err
	}
	if i.Projects.Added+i.Projects.Changed+i.Vintages.Added+i.Vintages.Changed == 0 {
		return i.CatalogueCounts, nil
	}
	return i.CatalogueCounts, c.Audit("import catalogue", "", fmt.Sprintf("projects %d added, %d changed; vintages %d added, %d changed",
		i.Projects.Added, i.Projects.Changed, i.Vintages.Added, i.Vintages.Changed))
}

// importedBatch is how many credits a made-up serial number of an imported
// vintage spans at most: only a demo makes them up.
const importedBatch = 1_000_000

// catalogueImport is one file on its way into the books. The maps say in which
// lines a project and a vintage stood.
type catalogueImport struct {
	*Change
	CatalogueCounts
	faults             LineFaults
	projects, vintages map[int64]int
}

func (i *catalogueImport) project(p CatalogueProject) error {
	registry, err := i.registry(p)
	if err != nil {
		return err
	}
	old, known, err := i.find(p, registry)
	if err != nil {
		return err
	}
	if before := i.projects[old.Number]; known && before > 0 {
		i.faults.Add(p.Line, "names the project of line %d", before)
		return nil
	}
	number, err := i.write(p, registry, old, known)
	if err != nil {
		return err
	}
	i.projects[number] = p.Line
	there, err := vintagesOf(i, number)
	if err != nil {
		return err
	}
	for _, v := range p.Vintages {
		if err := i.vintage(v, number, &there); err != nil {
			return err
		}
	}
	return nil
}

func (i *catalogueImport) registry(p CatalogueProject) (int64, error) {
	known, found, err := one(i, "SELECT number FROM registries WHERE name = $1", firstNumber, p.RegistryName)
	if found || err != nil {
		return known, err
	}
	id := p.RegistryID
	if _, ofProject := (model.Project{RegistryID: id}).RegistryNumber(); ofProject != "" {
		id = ""
	}
	taken, err := exists(i, "SELECT 1 FROM registries WHERE id = $1", id)
	if err != nil {
		return 0, err
	}
	if id == "" || taken {
		if id, err = i.NewID(RegistryID); err != nil {
			return 0, err
		}
	}
	return i.AddRegistry(id, p.RegistryName)
}

func (i *catalogueImport) find(p CatalogueProject, registry int64) (old Listed, known bool, err error) {
	where, args := "WHERE p.registry = $1 AND p.name = $2 ORDER BY p.number", []any{registry, p.Name}
	if p.ID != "" {
		where, args = "WHERE p.id = $1", []any{p.ID}
	}
	named, err := listed(i, where, args...)
	if err != nil || len(named) == 0 {
		return old, false, err
	}
	if len(named) > 1 {
		i.faults.Add(p.Line, "names one of %d projects of %s that are called %s: give its project_id", len(named), p.RegistryName, p.Name)
	}
	return named[0], true, nil
}

func (i *catalogueImport) write(p CatalogueProject, registry int64, old Listed, known bool) (number int64, err error) {
	n := Listed{Project: p.Project, Number: old.Number, Registry: registry, RegistryNumber: old.RegistryNumber}
	_, said := p.RegistryNumber()
	n.RegistryNumber = cmp.Or(said, n.RegistryNumber)
	n.ID = cmp.Or(n.ID, old.ID)
	changed := known && !n.same(old)
	i.Projects.count(!known, changed)
	switch {
	case changed:
		if !n.sameName(old) {
			if err := i.addFormer(old); err != nil {
				return 0, err
			}
		}
		return n.Number, i.changeProject(n)
	case known:
		return n.Number, nil
	}
	if n.ID == "" {
		if n.ID, err = i.NewID(ProjectID); err != nil {
			return 0, err
		}
	}
	return i.AddProject(n)
}

func (p Listed) sameName(q Listed) bool {
	return p.Name == q.Name && p.Type == q.Type && p.Country == q.Country && p.Registry == q.Registry &&
		p.RegistryNumber == q.RegistryNumber && p.RegistryURL == q.RegistryURL
}

func (p Listed) same(q Listed) bool {
	return p.sameName(q) && p.Description == q.Description && slices.Equal(p.SDGs, q.SDGs)
}

func (i *catalogueImport) vintage(v CatalogueVintage, project int64, there *[]ListedVintage) error {
	other, found, err := i.Change.vintage(v.ID)
	if err != nil {
		return err
	}
	if found && other.Project != project {
		i.faults.Add(v.Line, "has a vintage_id that is of another project")
		return nil
	}
	old, known := i.findVintage(v, *there)
	if before := i.vintages[old.Vintage.Number]; known && before > 0 {
		i.faults.Add(v.Line, "names the vintage of line %d", before)
		return nil
	}
	n := ListedVintage{Vintage{old.Vintage.Number, project}, v.ProjectVintage}
	n.ID = cmp.Or(n.ID, old.ID)
	changed := known && n != old
	i.Vintages.count(!known, changed)
	switch {
	case changed:
		err = i.changeVintage(v.Line, n, old)
	case !known:
		if n.ID == "" {
			if n.ID, err = i.NewID(VintageID); err != nil {
				return err
			}
		}
		n.Vintage.Number, err = i.AddVintage(n, 1, importedBatch)
		*there = append(*there, n)
	}
	i.vintages[n.Vintage.Number] = v.Line
	return err
}

func (i *catalogueImport) findVintage(v CatalogueVintage, there []ListedVintage) (old ListedVintage, known bool) {
	count := 0
	for _, one := range there {
		if v.ID != "" && one.ID == v.ID || v.ID == "" && one.Year == v.Year {
			old, known = one, true
			count++
		}
	}
	if count > 1 {
		i.faults.Add(v.Line, "names one of %d vintages of %d: give its vintage_id", count, v.Year)
	}
	return old, known
}

func (i *catalogueImport) changeVintage(line int, n, old ListedVintage) error {
	if n.Year != old.Year {
		offered, err := exists(i, "SELECT 1 FROM sell_orders WHERE project = $1 AND vintage = $2 LIMIT 1", old.Project, old.Vintage.Number)
		if err != nil {
			return err
		}
		if offered {
			i.faults.Add(line, "changes the year of a vintage that was offered for sale: it is %d", old.Year)
		}
	}
	return i.Do("UPDATE vintages SET year = $1, registry_url = $2 WHERE number = $3", n.Year, n.RegistryURL, n.Vintage.Number)
}
