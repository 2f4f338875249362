package marketplace

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
)

// maxProjectIDs is about the number of ids that fit into the header of a request.
const maxProjectIDs = 500

func (m *Marketplace) getProjects(w http.ResponseWriter, r *http.Request, _ exchange.Caller) error {
	p := parametersOf(r)
	p.checkProjectIDs()
	if err := p.err(); err != nil {
		return err
	}
	ids, named := projectIDs(p.query)
	if len(ids) > maxProjectIDs {
		return invalid(fmt.Sprintf("project_ids must name at most %d projects", maxProjectIDs))
	}
	projects, err := exchange.Read(r.Context(), m.db, func(tx exchange.Tx) []model.Project {
		if named {
			return exchange.Projects(tx, ids...)
		}
		return exchange.AllProjects(tx)
	})
	if err != nil {
		return err
	}
	respond(w, r, http.StatusOK, wire.AppendProjects(nil, projects))
	return nil
}

// checkProjectIDs refuses forms of the list that would otherwise be ignored, such as
// project_ids[0]=A.
func (p *parameters) checkProjectIDs() {
	for name := range p.query {
		if strings.HasPrefix(name, "project_ids[") && name != "project_ids[]" {
			p.add("project_ids must be given as project_ids[]=A&project_ids[]=B, project_ids=A&project_ids=B or project_ids=A,B")
			return
		}
	}
}

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
