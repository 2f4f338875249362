package tab

import "tonne/model"

// details are what is known of projects: what the service sent in this run,
// and what is remembered from others.
type details struct{ sent, remembered model.Projects }

// Learn takes the project details that the service sent.
func (v *View) Learn(sent model.Projects) {
	v.details.sent = sent
	v.Projects = v.details.joined()
}

// Recall takes project details from an earlier run. They are shown until the
// service sends newer ones.
func (v *View) Recall(remembered model.Projects) {
	v.details.remembered = remembered
	v.Projects = v.details.joined()
}

// joined returns all details in a map of their own: the tables sort by the one
// that they were given.
func (d details) joined() model.Projects {
	if len(d.remembered) == 0 {
		return d.sent
	}
	all := make(model.Projects, len(d.sent)+len(d.remembered))
	for id, p := range d.remembered {
		all[id] = p
	}
	for id, p := range d.sent {
		all[id] = p
	}
	return all
}
