package storage

import (
	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// Projects finds projects by their ids, in that order. Ids that nobody has are
// left out.
func Projects(tx Tx, ids ...string) ([]model.Project, error) {
	var projects []model.Project
	for _, id := range ids {
		found, err := readProjects(tx, "WHERE p.id = $1", id)
		if err != nil {
			return nil, err
		}
		projects = append(projects, found...)
	}
	return projects, nil
}

// AllProjects lists all projects.
func AllProjects(tx Tx) ([]model.Project, error) {
	return readProjects(tx, "ORDER BY p.number")
}

func readProjects(tx Tx, where string, args ...any) ([]model.Project, error) {
	all, err := listed(tx, where, args...)
	var projects []model.Project
	for _, p := range all {
		if err == nil {
			err = addVintages(tx, &p)
		}
		projects = append(projects, p.Project)
	}
	return projects, err
}

func addVintages(tx Tx, p *exchange.Listed) error {
	vintages, err := vintagesOf(tx, p.Number)
	for _, v := range vintages {
		p.Vintages = append(p.Vintages, v.ProjectVintage)
	}
	return err
}

func sdgs(tx Tx, project int64) ([]string, error) {
	return collect(tx, "SELECT name FROM project_sdgs WHERE project = $1 ORDER BY position", firstText, project)
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

// AddVintage adds a vintage of a project and returns its number. next is its
// first serial number, batch how many the registry issues at a time.
func AddVintage(tx Tx, project int64, v model.ProjectVintage, next, batch int64) (int64, error) {
	return tx.Insert(`INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
		VALUES ($1, $2, $3, $4, $5, $6)`, v.ID, project, v.Year, v.RegistryURL, next, batch)
}
