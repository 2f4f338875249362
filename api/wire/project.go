package wire

import "tonne/model"

// DecodeProjects reads the answer of the project-details endpoint. Only the
// ids are required: what else a service knows of its projects differs.
func DecodeProjects(body []byte) ([]model.Project, error) {
	r := newReader(body)
	var projects []model.Project
	var had members
	if r.enterObject() {
		for r.nextMember() {
			if string(r.name) != "projects" {
				r.skip()
				continue
			}
			had |= 1
			for r.enterArray(); r.nextElement(); {
				projects = append(projects, r.project())
			}
		}
		r.require(had, "projects")
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return projects, nil
}

func (r *reader) project() model.Project {
	var p model.Project
	var had members
	if !r.enterObject() {
		return p
	}
	for r.nextMember() {
		switch string(r.name) {
		case "project_id":
			had |= 1
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
			p.RegistryID = r.optionalText()
		case "registry_name":
			p.RegistryName = r.optionalText()
		case "sdgs":
			p.SDGs = r.strings()
		case "description":
			p.Description = r.optionalText()
		case "vintages":
			p.Vintages = r.projectVintages()
		default:
			p.Extra = append(p.Extra, r.extra())
		}
	}
	r.require(had, "project_id")
	return p
}

func (r *reader) projectVintages() []model.ProjectVintage {
	if r.kind() == 'n' {
		r.skip()
		return nil
	}
	var vintages []model.ProjectVintage
	for r.enterArray(); r.nextElement(); {
		vintages = append(vintages, r.projectVintage())
	}
	return vintages
}

func (r *reader) projectVintage() model.ProjectVintage {
	var v model.ProjectVintage
	var had members
	if !r.enterObject() {
		return v
	}
	for r.nextMember() {
		switch string(r.name) {
		case "vintage_id":
			had |= 1
			v.ID = string(r.id())
		case "vintage_year":
			v.Year = r.year()
		case "registry_vintage_url":
			v.RegistryURL = r.optionalText()
		default:
			r.skip()
		}
	}
	r.require(had, "vintage_id")
	return v
}
