package wire

import "tonne/model"

// DecodeProjects reads the answer of the project-details endpoint. Only the
// ids are required: what else a service knows of its projects differs.
func DecodeProjects(body []byte) ([]model.Project, error) {
	r := newReader(body)
	var projects []model.Project
	for range r.object("projects") {
		if string(r.name) != "projects" {
			r.skip()
			continue
		}
		for range r.array() {
			projects = append(projects, r.project())
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return projects, nil
}

func (r *reader) project() model.Project {
	var p model.Project
	for range r.object("project_id") {
		switch string(r.name) {
		case "project_id":
			p.ID = string(r.id())
		case "project_name":
			p.Name = r.optionalText()
		case "type":
			p.Type = r.optionalText()
		case "location":
			p.Country = r.optionalText()
		case "registry_project_url":
			p.RegistryURL = r.optionalText()
		case "registry_id":
			p.RegistryID = r.optionalID()
		case "registry_name":
			p.RegistryName = r.optionalText()
		case "sdgs":
			p.SDGs = r.strings()
		case "description":
			p.Description = r.optionalText()
		case "vintages":
			for range r.array() {
				p.Vintages = append(p.Vintages, r.projectVintage())
			}
		default:
			p.Extra = append(p.Extra, r.extra())
		}
	}
	return p
}

func (r *reader) projectVintage() model.ProjectVintage {
	var v model.ProjectVintage
	for range r.object("vintage_id") {
		switch string(r.name) {
		case "vintage_id":
			v.ID = string(r.id())
		case "vintage_year":
			v.Year = r.year()
		case "registry_vintage_url":
			v.RegistryURL = r.optionalText()
		default:
			r.skip()
		}
	}
	return v
}
