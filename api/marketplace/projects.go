package marketplace

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
	"tonne/model"
)

// maxProjectIDs bounds how many projects one request may name: more of them
// would not fit into the header of a request anyway.
const maxProjectIDs = 500

// getProjects answers GET /api/projects: the projects that were named, or all.
// Ids that nobody has are left out.
func (m *Marketplace) getProjects(w http.ResponseWriter, r *http.Request, _ caller) error {
	p := parametersOf(r)
	if err := p.err(); err != nil {
		return err
	}
	ids, named := projectIDs(p.query)
	if len(ids) > maxProjectIDs {
		return invalid(fmt.Sprintf("project_ids must name at most %d projects", maxProjectIDs))
	}
	var projects []model.Project
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) (err error) {
		if !named {
			projects, err = allProjects(conn)
			return err
		}
		for _, id := range ids {
			found, err := findProject(conn, id)
			if err != nil {
				return err
			}
			projects = append(projects, found...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, wire.AppendProjects(nil, projects))
	return nil
}

// projectIDs collects the ids of a query in each of the forms that clients
// use: project_ids[]=A&project_ids[]=B, project_ids=A&project_ids=B and
// project_ids=A,B.
func projectIDs(query url.Values) (ids []string, named bool) {
	seen := make(map[string]bool)
	for _, name := range []string{"project_ids[]", "project_ids"} {
		for _, value := range query[name] {
			named = true
			for id := range strings.SplitSeq(value, ",") {
				if id = strings.TrimSpace(id); id != "" && !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
	}
	return ids, named
}

const selectProjects = `SELECT p.number, p.id, p.name, p.type, p.country, p.registry_url, r.id, r.name, p.description
	FROM projects p JOIN registries r ON r.number = p.registry `

func allProjects(conn *sqlite.Conn) ([]model.Project, error) {
	return readProjects(conn, selectProjects+"ORDER BY p.number")
}

func findProject(conn *sqlite.Conn, id string) ([]model.Project, error) {
	return readProjects(conn, selectProjects+"WHERE p.id = ?", id)
}

func readProjects(conn *sqlite.Conn, query string, args ...any) ([]model.Project, error) {
	var projects []model.Project
	err := each(conn, query, func(stmt *sqlite.Stmt) error {
		p := model.Project{
			ID: stmt.ColumnText(1), Name: stmt.ColumnText(2), Type: stmt.ColumnText(3), Country: stmt.ColumnText(4),
			RegistryURL: stmt.ColumnText(5), RegistryID: stmt.ColumnText(6), RegistryName: stmt.ColumnText(7),
			Description: stmt.ColumnText(8),
		}
		err := addDetails(conn, stmt.ColumnInt64(0), &p)
		projects = append(projects, p)
		return err
	}, args...)
	return projects, err
}

func addDetails(conn *sqlite.Conn, number int64, p *model.Project) error {
	err := each(conn, "SELECT name FROM project_sdgs WHERE project = ? ORDER BY position", func(stmt *sqlite.Stmt) error {
		p.SDGs = append(p.SDGs, stmt.ColumnText(0))
		return nil
	}, number)
	if err != nil {
		return err
	}
	return each(conn, "SELECT id, year, registry_url FROM vintages WHERE project = ? ORDER BY number", func(stmt *sqlite.Stmt) error {
		p.Vintages = append(p.Vintages, model.ProjectVintage{
			ID: stmt.ColumnText(0), Year: stmt.ColumnInt(1), RegistryURL: stmt.ColumnText(2),
		})
		return nil
	}, number)
}
