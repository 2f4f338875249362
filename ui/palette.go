package ui

import (
	"slices"
	"strings"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// palette are the commands of the palette on the list of the active tab, and on the screen.
type palette struct{ app *App }

func (p palette) open() effect.Effect {
	keys := p.app.keys
	const hint = "a project, a command, a key, or words of its description"
	p.app.openKeys("Commands · ↵ runs · Tab completes · Esc closes", hint, true,
		func(typed string) []keymap.Group {
			return append(slices.Clip(keys), p.keys(typed), profiles(p).keys(typed), views(p).keys(typed))
		})
	return profiles(p).read()
}

// keys returns the commands for what is typed.
func (p palette) keys(typed string) keymap.Group {
	g := keymap.Group{Name: "Commands"}
	for _, c := range []keymap.Command{
		{Name: "sort", Usage: "COLUMN", Help: "sort by a column; -COLUMN: descending", Complete: p.sort},
		{Name: "filter", Usage: "WORDS", Help: "show only rows that match", Complete: p.filter},
		{Name: "columns", Usage: "A,B,…", Help: "show these columns, in this order", Complete: p.columns},
		{Name: "theme", Usage: "NAME", Help: "change the colours: dark, light, mono or auto", Complete: p.theme},
	} {
		g.Bindings = append(g.Bindings, c.For(typed)...)
	}
	g.Bindings = append(g.Bindings, p.app.replay.commands(typed)...)
	g.Bindings = append(g.Bindings, p.tab().Palette(typed)...)
	return g
}

func (p palette) tab() tab.Tab { return p.app.tabs[p.app.active] }

// arrange restores the present view with one part changed.
func (p palette) arrange(part, value, said string) func() effect.Effect {
	return func() effect.Effect {
		v := p.tab().SaveView()
		v[part] = value
		return effect.Batch(p.tab().RestoreView(v), effect.Say(said))
	}
}

func (p palette) sort(typed string) (all []keymap.Binding) {
	// People also write "ask desc" for "-ask".
	sign, after, how := "", "", "lowest first"
	switch {
	case strings.HasPrefix(typed, "-"):
		sign, how = "-", "highest first"
	case strings.HasSuffix(typed, " desc"):
		sign, after, how = "-", " desc", "highest first"
	}
	for _, c := range p.tab().List().Columns {
		if !c.Sorts {
			continue
		}
		action := "sort " + sign + c.Key
		if after != "" {
			action = "sort " + c.Key + after
		}
		all = append(all, keymap.Binding{Action: action, Help: "sort by " + c.Title + ", " + how + " · " + sign + c.Name,
			Do: p.arrange(tab.ViewSort, sign+c.Name, "Sorted by "+c.Title+", "+how+".")})
	}
	return all
}

func (p palette) filter(typed string) []keymap.Binding {
	set := func(text string) keymap.Binding {
		return keymap.Binding{Action: "filter " + text, Help: "filter " + text, Do: p.arrange(tab.ViewFilter, text, "")}
	}
	all := []keymap.Binding{set(typed)}
	words := strings.Fields(typed)
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	for _, example := range p.tab().List().Filters {
		if strings.HasPrefix(example, words[last]) && example != words[last] {
			all = append(all, set(strings.Join(append(slices.Clone(words[:last]), example), " ")))
		}
	}
	return all
}

func (p palette) columns(typed string) (all []keymap.Binding) {
	list := p.tab().List()
	at := strings.LastIndexByte(typed, ',') + 1
	before := typed[:at]
	chosen := list.Names(before)
	for _, c := range list.Columns {
		if slices.Contains(chosen, c.Name) {
			continue
		}
		names := append(slices.Clone(chosen), c.Name)
		action := "columns " + before + c.Key
		all = append(all, keymap.Binding{Action: action, Help: action + " · " + c.Help,
			Do: p.arrange(tab.ViewColumns, strings.Join(names, ","), "")})
	}
	return all
}

func (p palette) theme(string) (all []keymap.Binding) {
	a := p.app
	for _, name := range []string{"dark", "light", "mono", "auto"} {
		all = append(all, keymap.Binding{Action: "theme " + name, Help: "theme " + name + " · until you quit",
			Why: func() string {
				if a.o.Getenv("NO_COLOR") != "" {
					return "NO_COLOR is set, so there are no colours."
				}
				return ""
			}, Do: func() effect.Effect {
				dark := a.background.Dark
				a.background = style.NewBackground(name, "")
				a.background.Dark = dark
				a.view.Theme = a.background.Theme()
				return effect.Say("The theme is " + name + " until you quit. The setting theme keeps it.")
			}})
	}
	return all
}
