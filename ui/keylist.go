package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// keyList is the help or, with choose, the command palette.
type keyList struct {
	title string
	// groups returns the keys and commands for what the user typed.
	groups func(typed string) []keymap.Group
	search tab.Entry
	choose bool
	// list has the entries that match the search. page is the number of visible ones.
	list                 []entry
	cursor, scroll, page int
}

type entry struct {
	group   string
	binding keymap.Binding
	score   int
}

func always(groups ...keymap.Group) func(string) []keymap.Group {
	return func(string) []keymap.Group { return groups }
}

const keyHint = "a key, or words of its description"

func (a *App) openKeys(title, hint string, choose bool, groups func(typed string) []keymap.Group) effect.Effect {
	c := &keyList{title: title, groups: groups, search: tab.NewEntry(), choose: choose}
	c.search.Hint = hint
	c.search.Focus()
	a.open(c, current)
	return nil
}

// typed edits the search. The best match is selected.
func (c *keyList) typed(edit tea.Msg) effect.Effect {
	c.cursor = 0
	return c.search.Take(edit)
}

// name returns what is typed with single blanks. One at its end separates the name of a command from its argument.
func (c *keyList) name() string {
	value := c.search.Value()
	name := strings.Join(strings.Fields(value), " ")
	if name != "" && strings.TrimRight(value, " ") != value {
		name += " "
	}
	return name
}

// entries returns the matches: the best first in the palette, by group in the help.
func (c *keyList) entries() []entry {
	typed := c.name()
	wanted := strings.ToLower(strings.TrimSpace(typed))
	var list []entry
	for _, g := range c.groups(typed) {
		named := false
		for _, b := range g.Bindings {
			score, matches := rank(wanted, g.Name, b)
			if !matches || !c.choose && len(b.Keys) == 0 {
				continue
			}
			if !named && !c.choose {
				list = append(list, entry{group: g.Name})
				named = true
			}
			list = append(list, entry{binding: b, score: score})
		}
	}
	if c.choose {
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
	}
	return list
}

// complete types the command of the selected entry, or of the next one if that is typed already. A command that takes
// an argument gets the blank before it.
func (c *keyList) complete() {
	list := c.entries()
	for _, e := range list[max(min(c.cursor, len(list)-1), 0):] {
		text := e.binding.Meaning()
		if e.binding.Takes != "" {
			text += " "
		}
		if text != c.name() {
			c.search.SetValue(text)
			c.cursor = 0
			return
		}
	}
}

func (c *keyList) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	stroke := msg.Keystroke()
	steps := map[string]int{"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "pgup": -c.page, "pgdown": c.page}
	if step, ok := steps[stroke]; ok {
		c.cursor += step
		return false, nil
	}
	switch {
	case stroke == "esc" && !c.choose && c.search.Value() != "":
		c.search.SetValue("")
		c.cursor = 0
	case stroke == "esc" || stroke == "f1" || msg.String() == "?" && c.search.Value() == "":
		return true, nil
	case stroke == "enter" && c.choose:
		list := c.entries()
		if len(list) == 0 {
			return false, nil
		}
		chosen := list[max(min(c.cursor, len(list)-1), 0)].binding
		if chosen.Takes != "" {
			c.search.SetValue(chosen.Action + " ")
			c.cursor = 0
			return false, nil
		}
		return true, effect.Then(func() effect.Effect { return perform(chosen) })
	case stroke == "tab" && c.choose:
		c.complete()
	case stroke != "enter":
		return false, c.typed(msg)
	}
	return false, nil
}

func (c *keyList) Paste(msg tea.PasteMsg) effect.Effect {
	return c.typed(msg)
}

const (
	widestList = 106
	widestKeys = 20
)

func (c *keyList) Size(width, height int) (w, h int) {
	c.list = c.entries()
	h = min(height, max(len(c.list), 8)+2)
	c.page = max(h-2, 1)
	if c.choose {
		c.cursor = max(min(c.cursor, len(c.list)-1), 0)
		c.scroll = max(min(c.scroll, c.cursor), c.cursor-c.page+1)
	} else {
		c.cursor = max(min(c.cursor, len(c.list)-c.page), 0)
		c.scroll = c.cursor
	}
	return min(width, widestList), h
}

func (c *keyList) Title() string {
	if below := tab.Below(len(c.list) - c.scroll - c.page); below != "" {
		return c.title + " · " + below
	}
	return c.title
}

func (c *keyList) Draw(block *style.Block) *tea.Cursor {
	line := block.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	cursor := c.search.Draw(line, 0)
	block.Blank(1)
	if len(c.list) == 0 {
		block.Put(style.Muted, "No matching command.")
	}
	keysWidth := c.keysWidth()
	for i := c.scroll; i < min(c.scroll+c.page, len(c.list)); i++ {
		c.drawEntry(block, c.list[i], keysWidth, c.choose && i == c.cursor)
	}
	return cursor
}

// keysWidth is the width of the widest keys of all entries, so that a search does not move the columns.
func (c *keyList) keysWidth() int {
	width := 0
	for _, g := range c.groups(c.name()) {
		for _, b := range g.Bindings {
			width = max(width, style.Width(b.Labels()), style.Width(b.Alarm))
		}
	}
	return min(width, widestKeys)
}

func (c *keyList) drawEntry(block *style.Block, e entry, keysWidth int, selected bool) {
	state := style.Plain
	if selected {
		state = style.Selected
	}
	line := block.Line(state)
	if e.group != "" {
		line.Put(style.Heading, e.group)
		return
	}
	role := style.Text
	help := e.binding.Help
	if why := e.binding.Disabled(); why != "" {
		role, help = style.Faint, help+" · "+why
	}
	line.Gap(2)
	if e.binding.Alarm != "" {
		line.PutLeft(style.Alarm, e.binding.Alarm, keysWidth)
	} else {
		line.PutLeft(style.Key, e.binding.Labels(), keysWidth)
	}
	line.Gap(2)
	if len(c.list) > 1 {
		line.Put(role, help)
		return
	}
	// A single match is shown in full.
	lines := style.Wrap(help, max(line.Room(), 1))
	line.Put(role, lines[0])
	for _, more := range lines[1:] {
		if block.Room() > 0 {
			line = block.Line(state)
			line.Gap(keysWidth + 4)
			line.Put(role, more)
		}
	}
}
