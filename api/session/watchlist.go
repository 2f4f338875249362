package session

import (
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/alert"
)

// Watchlist has the watched vintages, and the rules on them and on retirement requests. It
// is immutable.
type Watchlist struct {
	Watched map[model.VintageKey]bool
	Rules   []alert.Rule
}

// With returns the list with a vintage added.
func (w Watchlist) With(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	if watched == nil {
		watched = make(map[model.VintageKey]bool)
	}
	watched[key] = true
	return Watchlist{watched, w.Rules}
}

// Without returns the list without a vintage and its rules.
func (w Watchlist) Without(key model.VintageKey) Watchlist {
	watched := maps.Clone(w.Watched)
	delete(watched, key)
	return Watchlist{watched, w.rulesBut(func(r alert.Rule) bool { return r.Vintage == key })}
}

// WithRule returns the list with a rule and its vintage added.
func (w Watchlist) WithRule(r alert.Rule) Watchlist {
	if !r.OnRequests() {
		w = w.With(r.Vintage)
	}
	if !slices.Contains(w.Rules, r) {
		w.Rules = append(slices.Clip(w.Rules), r)
	}
	return w
}

// WithoutRule returns the list without a rule. It keeps its vintage.
func (w Watchlist) WithoutRule(r alert.Rule) Watchlist {
	return Watchlist{w.Watched, w.rulesBut(func(other alert.Rule) bool { return other == r })}
}

func (w Watchlist) rulesBut(removed func(alert.Rule) bool) []alert.Rule {
	return slices.DeleteFunc(slices.Clone(w.Rules), removed)
}
