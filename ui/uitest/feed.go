package uitest

import (
	"context"
	"errors"
	"fmt"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
)

// Feed is a session without events that records requests.
type Feed struct {
	Ledger
	Asked []string
	// Proved are the requests whose certificates were to be checked again.
	Proved []string
	// Told has the annotations of requests.
	Told session.AnnotationsEvent
	// Query is the last requested page of the inventory.
	Query api.InventoryQuery
}

// ErrNoNews is returned by Next, which never waits.
var ErrNoNews = errors.New("no news")

// Next returns ErrNoNews.
func (f *Feed) Next(context.Context) ([]session.Event, error) { return nil, ErrNoNews }

func (f *Feed) note(format string, values ...any) {
	f.Asked = append(f.Asked, fmt.Sprintf(format, values...))
}

// ShowInventory notes the query.
func (f *Feed) ShowInventory(q api.InventoryQuery) {
	f.Query = q
	f.note("inventory %+v", q)
}

// HideInventory records the request.
func (f *Feed) HideInventory() { f.note("hide inventory") }

// Refresh records the request.
func (f *Feed) Refresh() { f.note("refresh") }

// Pause records the request.
func (f *Feed) Pause(paused bool) { f.note("pause %v", paused) }

// Focus records whether the terminal has the focus.
func (f *Feed) Focus(focused bool) { f.note("focus %v", focused) }

// LookUp notes the id.
func (f *Feed) LookUp(id string) { f.note("look up %s", id) }

// SaveCertificate notes the id.
func (f *Feed) SaveCertificate(id, url, dir string) { f.note("save %s %s %s", id, url, dir) }

// Record records the request.
func (f *Feed) Record() { f.note("record") }

// ShowProjects does nothing, because any frame may call it.
func (f *Feed) ShowProjects([]string) {}

// LoadPrices does nothing, because each move of a cursor calls it.
func (f *Feed) LoadPrices(...model.VintageKey) {}

// Watch notes the vintage.
func (f *Feed) Watch(key model.VintageKey, on bool) { f.note("watch %v %v", key, on) }

// AddRule notes the rule.
func (f *Feed) AddRule(r alert.Rule) { f.note("add rule %v %v", subject(r), r) }

// RemoveRule notes the rule.
func (f *Feed) RemoveRule(r alert.Rule) { f.note("remove rule %v %v", subject(r), r) }

func subject(r alert.Rule) any {
	if r.OnRequests() {
		return r.Request
	}
	return r.Vintage
}

// SeeAlerts notes the entry of the history.
func (f *Feed) SeeAlerts(id int64, requestsAlone bool) {
	if requestsAlone {
		f.note("see request alerts %d", id)
		return
	}
	f.note("see alerts %d", id)
}

// Choose notes the choice.
func (f *Feed) Choose(name, value string) { f.note("choose %s %s", name, value) }
