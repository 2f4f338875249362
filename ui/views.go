package ui

import (
	"maps"
	"slices"
	"strings"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// views are the saved views of the active tab.
type views struct{ app *App }

func (v views) all() map[string]tab.SavedView {
	return tab.SavedViews(v.app.choices, Tabs[v.app.replay.kind()].List)
}

func (v views) whyNone() string {
	if len(v.all()) == 0 {
		return "No view is saved at this address. `:view save NAME` saves one."
	}
	return ""
}

// keys are the commands on the views, and what the user types in the palette to name one.
func (v views) keys(typed string) keymap.Group {
	g := keymap.Group{Name: "Views"}
	add := func(action, help string, why func() string, do func() effect.Effect) {
		g.Bindings = append(g.Bindings, keymap.Binding{Action: action, Help: action + help, Why: why, Do: do})
	}
	saved := v.all()
	names := slices.Sorted(maps.Keys(saved))
	for _, name := range names {
		add("view "+name, saved[name].Describe(), nil, func() effect.Effect { return v.restore(name, saved[name]) })
	}
	for _, name := range names {
		add("view delete "+name, "", nil, func() effect.Effect { return v.remove(name) })
	}
	if name, saves := strings.CutPrefix(typed, "view save "); saves {
		help := " · save columns, sort and filter"
		if saved[name] != nil {
			help = " · replace the view"
		}
		add(typed, help, func() string { return tab.WrongViewName(name) }, func() effect.Effect { return v.save(name) })
	} else if name, named := strings.CutPrefix(typed, "view "); named {
		name = strings.TrimPrefix(name, "delete ")
		if noneHas(names, name) && !strings.HasPrefix("save", name) && !strings.HasPrefix("delete", name) {
			add(typed, "", func() string { return v.unknown(name, names) }, func() effect.Effect { return nil })
		}
	}
	return g
}

// noneHas reports whether no name contains a text, ignoring case.
func noneHas(names []string, text string) bool {
	return !slices.ContainsFunc(names,
		func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(text)) })
}

func (v views) unknown(name string, known []string) string {
	if why := v.whyNone(); why != "" {
		return why
	}
	return "No view of this tab is named " + tab.Typed(name) + ". Saved: " + strings.Join(known, ", ") + "."
}

func (v views) open() effect.Effect {
	return v.app.openKeys("Views · ↵ restores or deletes · Esc closes", "name of a view", true,
		func(typed string) []keymap.Group { return []keymap.Group{v.keys(typed)} })
}

func (v views) ask() effect.Effect {
	return tab.Prompt{Title: "Save columns, sort and filter", Hint: "name of the view",
		Enter: func(typed string) (effect.Effect, string) {
			name := strings.Join(strings.Fields(typed), " ")
			if why := tab.WrongViewName(name); why != "" {
				return nil, why
			}
			return v.save(name), ""
		}}.Ask()
}

func (v views) save(name string) effect.Effect {
	said := "Saved the view " + name + "."
	if v.all()[name] != nil {
		said = "Replaced the view " + name + "."
	}
	v.choose(v.app.tabs[v.app.active].SaveView().Choice(Tabs[v.app.replay.kind()].List, name))
	switch {
	case v.app.unsaved != nil:
		return effect.Warn("The view " + name + " is lost when you quit. " + tab.Sentence(v.app.unsaved))
	case v.app.view.Fleeting:
		return effect.Say(said + " You have read-only access, so it is kept for this session only.")
	}
	return effect.Say(said)
}

func (v views) remove(name string) effect.Effect {
	v.choose(tab.SavedView(nil).Choice(Tabs[v.app.replay.kind()].List, name))
	return effect.Say("Deleted the view " + name + ".")
}

func (v views) restore(name string, saved tab.SavedView) effect.Effect {
	return effect.Batch(v.app.tabs[v.app.active].RestoreView(saved), effect.Say("Restored the view "+name+"."))
}

// choose saves a choice, which applies at once.
func (v views) choose(name, value string) {
	next := maps.Clone(v.app.choices)
	if next == nil {
		next = make(map[string]string)
	}
	next[name] = value
	v.app.choices = next
	v.app.o.Feed.Choose(name, value)
}
