package wire

import "tonne/model"

// listing reads the object that a listing comes in: its projects, each read
// by project, and its pagination.
func (r *reader) listing(project func()) model.Page {
	var page model.Page
	var had members
	if !r.enterObject() {
		return page
	}
	for r.nextMember() {
		switch string(r.name) {
		case "projects":
			had |= 1
			for r.enterArray(); r.nextElement(); {
				project()
			}
		case "pagination":
			had |= 2
			page = r.page()
		default:
			r.skip()
		}
	}
	r.require(had, "projects", "pagination")
	return page
}

// page reads the pagination object (interface section 2.1). previous_page and
// next_page are not read: services disagree on what they mean.
func (r *reader) page() model.Page {
	var p model.Page
	var had members
	if !r.enterObject() {
		return p
	}
	for r.nextMember() {
		switch string(r.name) {
		case "per_page":
			had |= 1
			p.PerPage = r.count()
		case "total_pages":
			had |= 2
			p.TotalPages = r.count()
		case "total_items":
			had |= 4
			p.TotalItems = r.count()
		case "current_page":
			had |= 8
			p.Current = r.count()
		default:
			r.skip()
		}
	}
	r.require(had, "per_page", "total_pages", "total_items", "current_page")
	return p
}
