package ui

import (
	"maps"
	"slices"
	"strings"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// lists are the commands that print the lists of the tabs. Saved views are theirs.
var lists = [...]string{"market", "inventory", "ledger"}

func (a *App) views() map[string]tab.SavedView { return tab.SavedViews(a.choices, lists[a.active]) }

func (a *App) whyNoView() string {
	if len(a.views()) == 0 {
		return "No view is saved yet. `:view save NAME` saves one."
	}
	return ""
}

// viewKeys are the commands on the views of the tab, and what the user types in the palette to name one.
func (a *App) viewKeys(typed string) keymap.Group {
	g := keymap.Group{Name: "Views"}
	add := func(action, help string, why func() string, do func() effect.Effect) {
		g.Bindings = append(g.Bindings, keymap.Binding{Action: action, Help: action + help, Why: why, Do: do})
	}
	views := a.views()
	names := slices.Sorted(maps.Keys(views))
	for _, name := range names {
		add("view "+name, views[name].Describe(), nil, func() effect.Effect { return a.restoreView(name, views[name]) })
	}
	for _, name := range names {
		add("view delete "+name, "", nil, func() effect.Effect { return a.deleteView(name) })
	}
	if name, saves := strings.CutPrefix(typed, "view save "); saves {
		help := " · save columns, sort and filter"
		if views[name] != nil {
			help = " · replace the view"
		}
		add(typed, help, func() string { return tab.WrongViewName(name) }, func() effect.Effect { return a.saveView(name) })
	} else if name, named := strings.CutPrefix(typed, "view "); named {
		name = strings.TrimPrefix(name, "delete ")
		has := func(other string) bool { return strings.Contains(strings.ToLower(other), strings.ToLower(name)) }
		if !slices.ContainsFunc(names, has) && !strings.HasPrefix("save", name) && !strings.HasPrefix("delete", name) {
			add(typed, "", func() string { return a.unknownView(name, names) }, func() effect.Effect { return nil })
		}
	}
	return g
}

func (a *App) unknownView(name string, known []string) string {
	if why := a.whyNoView(); why != "" {
		return why
	}
	return "No view of this tab is named " + tab.Typed(name) + ". Saved: " + strings.Join(known, ", ") + "."
}

func (a *App) openViews() effect.Effect {
	return a.openKeys("Views · ↵ restores · Esc closes", true, func(typed string) []keymap.Group { return []keymap.Group{a.viewKeys(typed)} })
}

func (a *App) askView() effect.Effect {
	return tab.Prompt{Title: "Save columns, sort and filter", Hint: "name of the view", Enter: func(typed string) (effect.Effect, string) {
		name := strings.Join(strings.Fields(typed), " ")
		if why := tab.WrongViewName(name); why != "" {
			return nil, why
		}
		return a.saveView(name), ""
	}}.Ask()
}

func (a *App) saveView(name string) effect.Effect {
	said := "Saved the view " + name + "."
	if a.views()[name] != nil {
		said = "Replaced the view " + name + "."
	}
	a.choose(a.tabs[a.active].SaveView().Choice(lists[a.active], name))
	switch {
	case a.unsaved != nil:
		return effect.Warn("The view " + name + " is lost when you quit. " + tab.Sentence(a.unsaved))
	case a.view.Fleeting:
		return effect.Say(said + " You have read-only access, so it is kept for this session only.")
	}
	return effect.Say(said)
}

func (a *App) deleteView(name string) effect.Effect {
	a.choose(tab.SavedView(nil).Choice(lists[a.active], name))
	return effect.Say("Deleted the view " + name + ".")
}

func (a *App) restoreView(name string, v tab.SavedView) effect.Effect {
	return effect.Batch(a.tabs[a.active].RestoreView(v), effect.Say("Restored the view "+name+"."))
}

// choose saves a choice, which applies at once.
func (a *App) choose(name, value string) {
	next := maps.Clone(a.choices)
	if next == nil {
		next = make(map[string]string)
	}
	next[name] = value
	a.choices = next
	a.o.Feed.Choose(name, value)
}
