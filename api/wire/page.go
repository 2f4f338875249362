package wire

import "tonne/model"

// listing reads the object that a listing comes in: its projects, each read
// by project, and its pagination.
func (r *reader) listing(project func()) model.Page {
	var page model.Page
	for range r.object("projects", "pagination") {
		switch string(r.name) {
		case "projects":
			for range r.array() {
				project()
			}
		case "pagination":
			page = r.page()
		default:
			r.skip()
		}
	}
	return page
}

// page reads the pagination object (interface section 2.1). previous_page and
// next_page are not read: services disagree on what they mean.
func (r *reader) page() model.Page {
	var p model.Page
	for range r.object("per_page", "total_pages", "total_items", "current_page") {
		switch string(r.name) {
		case "per_page":
			p.PerPage = r.count()
		case "total_pages":
			p.TotalPages = r.count()
		case "total_items":
			p.TotalItems = r.count()
		case "current_page":
			p.Current = r.count()
		default:
			r.skip()
		}
	}
	return p
}
