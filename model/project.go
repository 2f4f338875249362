package model

import (
	"cmp"
	"strings"
)

// Project has the details of a project (interface section 1.5).
type Project struct {
	ID   string
	Name string
	// Type is the kind of project, such as REDD+ or Cookstoves.
	Type string
	// Country is an ISO 3166-1 alpha-2 code.
	Country      string
	RegistryURL  string
	RegistryID   string
	RegistryName string
	// SDGs are the names of its UN Sustainable Development Goals.
	SDGs        []string
	Description string
	Vintages    []ProjectVintage
	Extra       []Field
}

// ProjectVintage is one vintage of a project.
type ProjectVintage struct {
	ID          string
	Year        int
	RegistryURL string
}

// Year returns the year of a vintage of the project, or 0 if unknown.
func (p Project) Year(vintageID string) int {
	for _, v := range p.Vintages {
		if v.ID == vintageID {
			return v.Year
		}
	}
	return 0
}

// Projects maps project ids to details.
type Projects map[string]Project

// Name returns the name of the project, or its id if no name is known.
func (p Projects) Name(id string) string { return cmp.Or(p[id].Name, id) }

// ByVintage returns a function that returns the id of the only project with a vintage, or "". It is for
// one goroutine.
func (p Projects) ByVintage() func(vintageID string) (projectID string) {
	var projects map[string]string
	return func(vintageID string) string {
		if projects == nil {
			projects = make(map[string]string, len(p))
			for id, of := range p {
				for _, v := range of.Vintages {
					if other, several := projects[v.ID]; several && other != id {
						projects[v.ID] = ""
						continue
					}
					projects[v.ID] = id
				}
			}
		}
		return projects[vintageID]
	}
}

// VintageKey identifies a vintage of a project.
type VintageKey struct{ ProjectID, VintageID string }

// Clone returns a copy that does not keep the memory of the snapshot in use.
func (k VintageKey) Clone() VintageKey {
	return VintageKey{strings.Clone(k.ProjectID), strings.Clone(k.VintageID)}
}
