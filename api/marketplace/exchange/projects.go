package exchange

import "tonne/model"

// Listed is a project with its keys in the database and without its vintages.
type Listed struct {
	model.Project
	// Number is the key of the project, Registry the key of its registry.
	Number, Registry int64
	// RegistryNumber is the project's number in its registry, or empty if unknown.
	RegistryNumber string
}

// ListedVintage is a vintage with its keys in the database.
type ListedVintage struct {
	Vintage
	model.ProjectVintage
}

// Projects returns the projects with the given ids, in that order.
func Projects(tx Tx, ids ...string) (projects []model.Project) {
	for _, id := range ids {
		projects = append(projects, readProjects(tx, "WHERE p.id = $1", id)...)
	}
	return projects
}

// AllProjects lists all projects.
func AllProjects(tx Tx) []model.Project { return readProjects(tx, "ORDER BY p.number") }

func readProjects(tx Tx, where string, args ...any) (projects []model.Project) {
	for _, p := range listed(tx, where, args...) {
		for _, v := range vintagesOf(tx, p.Number) {
			p.Vintages = append(p.Vintages, v.ProjectVintage)
		}
		projects = append(projects, p.Project)
	}
	return projects
}

func listed(tx Tx, where string, args ...any) []Listed {
	all := collect(tx,
		`SELECT p.number, p.id, p.name, p.type, p.country, p.registry_url, p.description, p.registry, p.registry_number,
		r.id, r.name FROM projects p JOIN registries r ON r.number = p.registry `+where, func(row Row) Listed {
			return Listed{
				Project: model.Project{
					ID: row.Text(1), Name: row.Text(2), Type: row.Text(3), Country: row.Text(4), RegistryURL: row.Text(5),
					Description: row.Text(6), RegistryID: row.Text(9), RegistryName: row.Text(10),
				},
				Number: row.Int64(0), Registry: row.Int64(7), RegistryNumber: row.Text(8),
			}
		}, args...)
	for i := range all {
		all[i].SDGs = collect(tx, "SELECT name FROM project_sdgs WHERE project = $1 ORDER BY position", firstText,
			all[i].Number)
	}
	return all
}

func vintagesOf(tx Tx, project int64) []ListedVintage {
	return collect(tx, "SELECT number, id, year, registry_url FROM vintages WHERE project = $1 ORDER BY number",
		func(row Row) ListedVintage {
			return ListedVintage{
				Vintage{Number: row.Int64(0), Project: project},
				model.ProjectVintage{ID: row.Text(1), Year: int(row.Int64(2)), RegistryURL: row.Text(3)},
			}
		}, project)
}

// HasProjects reports whether there is any project.
func HasProjects(tx Tx) bool { return exists(tx, "SELECT 1 FROM projects LIMIT 1") }

// AddRegistry adds a registry and returns its number.
func AddRegistry(c *Change, id, name string) int64 {
	return c.Insert("INSERT INTO registries (id, name) VALUES ($1, $2)", id, name)
}

// AddProject adds a project without its vintages and returns its number.
func AddProject(c *Change, p Listed) int64 {
	project := c.Insert(`INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url,
		description)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.ID, p.Name, p.Type, p.Country, p.Registry, p.RegistryNumber, p.RegistryURL, p.Description)
	addSDGs(c, project, p.SDGs)
	return project
}

func changeProject(c *Change, p Listed) {
	c.Do(`UPDATE projects SET name = $1, type = $2, country = $3, registry = $4, registry_number = $5, registry_url = $6,
		description = $7 WHERE number = $8`,
		p.Name, p.Type, p.Country, p.Registry, p.RegistryNumber, p.RegistryURL, p.Description, p.Number)
	c.Do("DELETE FROM project_sdgs WHERE project = $1", p.Number)
	addSDGs(c, p.Number, p.SDGs)
}

func addSDGs(c *Change, project int64, names []string) {
	for i, name := range names {
		c.Do("INSERT INTO project_sdgs (project, position, name) VALUES ($1, $2, $3)", project, i, name)
	}
}

func addFormer(c *Change, p Listed) {
	c.Do(`INSERT INTO former_projects (project, until, name, type, country, registry_name, registry_number, registry_url)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.Number, c.At.UnixMilli(), p.Name, p.Type, p.Country, p.RegistryName, p.RegistryNumber, p.RegistryURL)
}

// AddVintage adds a vintage and returns its number. Invented serial numbers start at next,
// in batches of the given size.
func AddVintage(c *Change, v ListedVintage, next, batch int64) int64 {
	return c.Insert(`INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
		VALUES ($1, $2, $3, $4, $5, $6)`, v.ID, v.Project, v.Year, v.RegistryURL, next, batch)
}
