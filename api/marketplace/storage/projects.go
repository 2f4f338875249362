package storage

import "tonne/model"

const selectProjects = `SELECT p.number, p.id, p.name, p.type, p.country, p.registry_url, r.id, r.name, p.description
	FROM projects p JOIN registries r ON r.number = p.registry `

// Projects finds projects by their ids, in that order. Ids that nobody has are
// left out.
func Projects(tx Tx, ids ...string) ([]model.Project, error) {
	var projects []model.Project
	for _, id := range ids {
		found, err := readProjects(tx, selectProjects+"WHERE p.id = $1", id)
		if err != nil {
			return nil, err
		}
		projects = append(projects, found...)
	}
	return projects, nil
}

// AllProjects lists all projects.
func AllProjects(tx Tx) ([]model.Project, error) {
	return readProjects(tx, selectProjects+"ORDER BY p.number")
}

func readProjects(tx Tx, query string, args ...any) ([]model.Project, error) {
	var numbers []int64
	projects, err := collect(tx, query, func(row Row) model.Project {
		numbers = append(numbers, row.Int64(0))
		return model.Project{
			ID: row.Text(1), Name: row.Text(2), Type: row.Text(3), Country: row.Text(4), RegistryURL: row.Text(5),
			RegistryID: row.Text(6), RegistryName: row.Text(7), Description: row.Text(8),
		}
	}, args...)
	for i := range projects {
		if err == nil {
			err = addDetails(tx, numbers[i], &projects[i])
		}
	}
	return projects, err
}

func addDetails(tx Tx, number int64, p *model.Project) (err error) {
	if p.SDGs, err = sdgs(tx, number); err != nil {
		return err
	}
	p.Vintages, err = collect(tx, "SELECT id, year, registry_url FROM vintages WHERE project = $1 ORDER BY number",
		func(row Row) model.ProjectVintage {
			return model.ProjectVintage{ID: row.Text(0), Year: int(row.Int64(1)), RegistryURL: row.Text(2)}
		}, number)
	return err
}

func sdgs(tx Tx, project int64) ([]string, error) {
	return collect(tx, "SELECT name FROM project_sdgs WHERE project = $1 ORDER BY position",
		func(row Row) string { return row.Text(0) }, project)
}

func addSDGs(tx Tx, project int64, names []string) error {
	for i, name := range names {
		if err := tx.Do("INSERT INTO project_sdgs (project, position, name) VALUES ($1, $2, $3)", project, i, name); err != nil {
			return err
		}
	}
	return nil
}

// HasProjects reports whether there are any.
func HasProjects(tx Tx) (bool, error) { return exists(tx, "SELECT 1 FROM projects LIMIT 1") }

// AddRegistry adds a registry and returns its number.
func AddRegistry(tx Tx, id, name string) (int64, error) {
	return number(tx, "INSERT INTO registries (id, name) VALUES ($1, $2) RETURNING number", id, name)
}

// AddProject adds a project without its vintages and returns its number.
// registry is the number of its registry, registryNumber its own there.
func AddProject(tx Tx, p model.Project, registry int64, registryNumber string) (int64, error) {
	project, err := number(tx, `INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING number`,
		p.ID, p.Name, p.Type, p.Country, registry, registryNumber, p.RegistryURL, p.Description)
	if err != nil {
		return 0, err
	}
	return project, addSDGs(tx, project, p.SDGs)
}

// AddVintage adds a vintage of a project and returns its number. next is its
// first serial number, batch how many the registry issues at a time.
func AddVintage(tx Tx, project int64, v model.ProjectVintage, next, batch int64) (int64, error) {
	return number(tx, `INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING number`, v.ID, project, v.Year, v.RegistryURL, next, batch)
}
