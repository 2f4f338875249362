package wire

import "tonne/model"

// DecodeProjects reads the response of GET /api/projects. Only the ids are required.
func DecodeProjects(body []byte) ([]model.Project, error) {
	projects, _, err := projectsObject.decode(body)
	return projects, err
}

// AppendProjects appends the response of GET /api/projects to dst.
func AppendProjects(dst []byte, projects []model.Project) []byte {
	return projectsObject.append(dst, &projects)
}

var projectsObject = object[[]model.Project]{fields: []field[[]model.Project]{
	member("projects", essential, listKind(projectObject), func(all *[]model.Project) *[]model.Project { return all }),
}}

var projectObject = object[model.Project]{
	[]field[model.Project]{
		member("project_id", expected, idKind, func(p *model.Project) *string { return &p.ID }),
		member("project_name", optional, textKind, func(p *model.Project) *string { return &p.Name }),
		member("type", optional, textKind, func(p *model.Project) *string { return &p.Type }),
		member("location", optional, textKind, func(p *model.Project) *string { return &p.Country }),
		member("registry_project_url", sparse, textKind, func(p *model.Project) *string { return &p.RegistryURL }),
		member("registry_id", sparse, optionalIDKind, func(p *model.Project) *string { return &p.RegistryID }),
		member("registry_name", sparse, textKind, func(p *model.Project) *string { return &p.RegistryName }),
		member("sdgs", optional, textsKind, func(p *model.Project) *[]string { return &p.SDGs }),
		member("description", sparse, textKind, func(p *model.Project) *string { return &p.Description }),
		member("vintages", optional, listKind(projectVintageObject),
			func(p *model.Project) *[]model.ProjectVintage { return &p.Vintages }),
	},
	func(r *reader, p *model.Project) { p.Extra = append(p.Extra, r.extra()) },
}

var projectVintageObject = object[model.ProjectVintage]{fields: []field[model.ProjectVintage]{
	member("vintage_id", expected, idKind, func(v *model.ProjectVintage) *string { return &v.ID }),
	member("vintage_year", optional, yearKind, func(v *model.ProjectVintage) *int { return &v.Year }),
	member("registry_vintage_url", sparse, textKind, func(v *model.ProjectVintage) *string { return &v.RegistryURL }),
}}
