package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func (b *books) Registry(name string) (int64, bool, error) {
	return one(b, "SELECT number FROM registries WHERE name = $1", firstNumber, name)
}

func (b *books) IsRegistry(id string) (bool, error) {
	return exists(b, "SELECT 1 FROM registries WHERE id = $1", id)
}

func (b *books) AddRegistry(id, name string) (int64, error) {
	return b.Insert("INSERT INTO registries (id, name) VALUES ($1, $2)", id, name)
}

const selectListed = `SELECT p.number, p.id, p.name, p.type, p.country, p.registry_url, p.description, p.registry, p.registry_number,
	r.id, r.name FROM projects p JOIN registries r ON r.number = p.registry `

func listed(tx Tx, where string, args ...any) ([]exchange.Listed, error) {
	all, err := collect(tx, selectListed+where, func(row Row) exchange.Listed {
		return exchange.Listed{
			Project: model.Project{
				ID: row.Text(1), Name: row.Text(2), Type: row.Text(3), Country: row.Text(4), RegistryURL: row.Text(5),
				Description: row.Text(6), RegistryID: row.Text(9), RegistryName: row.Text(10),
			},
			Number: row.Int64(0), Registry: row.Int64(7), RegistryNumber: row.Text(8),
		}
	}, args...)
	for i := range all {
		if err == nil {
			all[i].SDGs, err = sdgs(tx, all[i].Number)
		}
	}
	return all, err
}

func (b *books) Project(id string) (p exchange.Listed, found bool, err error) {
	all, err := listed(b, "WHERE p.id = $1", id)
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

func (b *books) ProjectsNamed(registry int64, name string) ([]exchange.Listed, error) {
	return listed(b, "WHERE p.registry = $1 AND p.name = $2 ORDER BY p.number", registry, name)
}

func (b *books) AddProject(p exchange.Listed) (int64, error) {
	project, err := b.Insert(`INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.ID, p.Name, p.Type, p.Country, p.Registry, p.RegistryNumber, p.RegistryURL, p.Description)
	if err != nil {
		return 0, err
	}
	return project, addSDGs(b, project, p.SDGs)
}

func (b *books) ChangeProject(p exchange.Listed) error {
	if err := b.Do(`UPDATE projects SET name = $1, type = $2, country = $3, registry = $4, registry_number = $5, registry_url = $6,
		description = $7 WHERE number = $8`,
		p.Name, p.Type, p.Country, p.Registry, p.RegistryNumber, p.RegistryURL, p.Description, p.Number); err != nil {
		return err
	}
	if err := b.Do("DELETE FROM project_sdgs WHERE project = $1", p.Number); err != nil {
		return err
	}
	return addSDGs(b, p.Number, p.SDGs)
}

func (b *books) AddFormer(p exchange.Listed, until time.Time) error {
	return b.Do(`INSERT INTO former_projects (project, until, name, type, country, registry_name, registry_number, registry_url)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.Number, until.UnixMilli(), p.Name, p.Type, p.Country, p.RegistryName, p.RegistryNumber, p.RegistryURL)
}

func asItWas(tx Tx, c *exchange.Certificate, project int64) error {
	_, err := find(tx, `SELECT name, type, country, registry_name, registry_number, registry_url FROM former_projects
		WHERE project = $1 AND until > $2 ORDER BY until, number LIMIT 1`, func(row Row) {
		p := &c.Project
		p.Name, p.Type, p.Country, p.RegistryName = row.Text(0), row.Text(1), row.Text(2), row.Text(3)
		c.RegistryProject, p.RegistryURL = row.Text(4), row.Text(5)
	}, project, c.Retirement.RetiredAt.Time.UnixMilli())
	return err
}

func (b *books) Vintages(project int64) ([]exchange.ListedVintage, error) {
	return vintagesOf(b, project)
}

func vintagesOf(tx Tx, project int64) ([]exchange.ListedVintage, error) {
	return collect(tx, "SELECT number, id, year, registry_url FROM vintages WHERE project = $1 ORDER BY number", func(row Row) exchange.ListedVintage {
		return exchange.ListedVintage{
			Vintage:        exchange.Vintage{Number: row.Int64(0), Project: project},
			ProjectVintage: model.ProjectVintage{ID: row.Text(1), Year: int(row.Int64(2)), RegistryURL: row.Text(3)},
		}
	}, project)
}

// importedBatch is how many credits a made-up serial number of an imported
// vintage spans at most: only a demo makes them up.
const importedBatch = 1_000_000

func (b *books) AddVintage(v exchange.ListedVintage) (int64, error) {
	return AddVintage(b, v.Project, v.ProjectVintage, 1, importedBatch)
}

func (b *books) ChangeVintage(v exchange.ListedVintage) error {
	return b.Do("UPDATE vintages SET year = $1, registry_url = $2 WHERE number = $3", v.Year, v.RegistryURL, v.Vintage.Number)
}

func (b *books) WasOffered(v exchange.Vintage) (bool, error) {
	return exists(b, "SELECT 1 FROM sell_orders WHERE project = $1 AND vintage = $2 LIMIT 1", v.Project, v.Number)
}
