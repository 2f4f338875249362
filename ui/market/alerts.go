package market

import (
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/tab"
)

func watched(v *tab.View, r model.Rule, f model.Facts) string {
	switch {
	case r.Measure == model.Available && f.Available.Known():
		return v.Quantity(f.Available)
	case r.Measure != model.Available && f.BestAsk.Known():
		return f.BestAsk.FormatDollars()
	}
	return ""
}

type alerts struct {
	fired []store.Fired
	heard bool
	// fresh are the entries that were not looked at when the history was opened:
	// they are marked until it is closed.
	fresh  map[int64]bool
	marked map[model.VintageKey]bool
}

// lookAt marks the entries that are new, and reports whether there
// are any.
func (a *alerts) lookAt() (unseen bool) {
	for _, f := range a.fired {
		if f.Seen {
			continue
		}
		if a.fresh == nil {
			a.fresh = make(map[int64]bool)
		}
		unseen = unseen || !a.fresh[f.ID]
		a.fresh[f.ID] = true
	}
	return unseen
}

func (a *alerts) leave() bool {
	if a.fresh == nil {
		return false
	}
	a.fresh = nil
	a.mark()
	return true
}

func (a *alerts) isNew(f store.Fired) bool { return !f.Already && (!f.Seen || a.fresh[f.ID]) }

func (a *alerts) isWaiting(f store.Fired) bool { return a.isNew(f) && !a.fresh[f.ID] }

func (a *alerts) mark() {
	a.marked = make(map[model.VintageKey]bool)
	for _, f := range a.fired {
		if f.Request == "" && a.isNew(f) {
			a.marked[f.Vintage] = true
		}
	}
}

func (a *alerts) waiting() (n int) {
	for _, f := range a.fired {
		if a.isWaiting(f) {
			n++
		}
	}
	return n
}

func (a *alerts) badge() string {
	n := 0
	for _, f := range a.fired {
		if f.Request == "" && a.isWaiting(f) {
			n++
		}
	}
	return tab.NewsBadge(n)
}

func (a *alerts) last(rule store.Alert) (store.Fired, bool) {
	for _, f := range a.fired {
		if f.Rule == rule.Rule && f.Vintage == rule.Vintage && (rule.Request == "" || rule.Request == f.Request) {
			return f, true
		}
	}
	return store.Fired{}, false
}
