// Package importer finds the ids of retirement requests in what a person
// types, pastes or has in a file.
package importer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const (
	// largestImport is the largest text that ids are read from, and largestShared
	// is that of a shared desk: its machine holds what all of its people paste.
	largestImport, largestShared = 16 << 20, 1 << 20
	// mostShared is how many ids a shared desk takes at once.
	mostShared = 10_000
	// mostPieces is how many words and cells such a file may hold: each takes
	// many times its length while it is read.
	mostPieces = 1 << 20
	// readAtOnce is the longest pasted text, in bytes, that is read before the
	// next key is taken.
	readAtOnce = 64 << 10
	// fewIDs is how many ids are looked up without asking first.
	fewIDs = 20
)

// Found is ids that the person wants to look up.
type Found []string

// Importer finds ids, and hands them to the tab's Handle as a Found.
type Importer struct {
	// Line takes ids that are typed.
	Line tab.Entry
	// state returns what is known of a request, and false if it is not in the
	// ledger.
	state func(id string) (string, bool)
	// room is how many more requests the ledger of a shared desk takes; nil on a
	// machine of the person's own.
	room func() int
	view *tab.View
	// turn is held by the work that reads a long text.
	turn sync.Mutex
}

// New returns an importer for a ledger. On a shared desk it takes 10,000 ids and
// 1 MiB of text at once.
func New(v *tab.View, room func() int, state func(id string) (string, bool)) *Importer {
	return &Importer{Line: tab.NewEntry(), state: state, room: room, view: v}
}

// Type takes a key or a paste into the line.
func (i *Importer) Type(msg tea.Msg) effect.Effect {
	if paste, ok := msg.(tea.PasteMsg); ok && !fitsLine(paste.Content) {
		i.Line.Blur()
		return i.Paste(paste.Content)
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "esc":
			i.leaveLine()
			return nil
		case "enter":
			words := model.SplitIDs(i.leaveLine())
			ids := usable(words)
			if len(ids) == 0 && len(words) > 0 {
				return effect.Warn("That is no id.")
			}
			return effect.Answer{Value: Found(ids)}
		}
	}
	return i.Line.Take(msg)
}

// fitsLine reports whether a paste is part of one id. Of several the line would
// take those at the beginning alone.
func fitsLine(text string) bool {
	return len(text) <= longestID && !strings.ContainsAny(text, "\r\n") && len(model.SplitIDs(text)) < 2
}

func (i *Importer) leaveLine() string {
	typed := i.Line.Value()
	i.Line.SetValue("")
	i.Line.Blur()
	return typed
}

// Paste looks up the ids in what was pasted. If there are many, or they are in a table
// or among other lines, it shows them first.
func (i *Importer) Paste(text string) effect.Effect {
	if len(text) <= readAtOnce {
		return i.pasted(readList(text))
	}
	return effect.Work(func(context.Context) any {
		l, err := i.read(text)
		if err != nil {
			return effect.Warn("Not read: " + err.Error() + ".")
		}
		return effect.Then(func() effect.Effect { return i.pasted(l) })
	})
}

func (i *Importer) pasted(l list) effect.Effect {
	if l.column != "" || len(l.left) > 0 || len(l.ids) > fewIDs {
		return i.show("what was pasted", l)
	}
	return effect.Answer{Value: Found(l.ids)}
}

func (i *Importer) read(text string) (list, error) {
	switch {
	case i.room != nil && len(text) > largestShared:
		return list{}, errors.New("a shared desk reads 1 MiB of ids at once, and this is more; split the list")
	case len(text) > largestImport || pieces(text) > mostPieces:
		return list{}, errors.New("that is more text than a list of ids can be")
	}
	i.turn.Lock()
	defer i.turn.Unlock()
	return readList(text), nil
}

// AskFile asks for a file with ids, reads it and shows what was found.
func (i *Importer) AskFile() effect.Effect {
	return tab.Prompt{
		Title: "Import ids", Hint: "a text file with an id a line, or a CSV with a column of them",
		Enter: func(typed string) (effect.Effect, string) {
			path, err := i.view.Files.Expand(typed)
			if err != nil {
				return nil, err.Error()
			}
			return effect.Work(func(context.Context) any { return i.readFile(path) }), ""
		},
	}.Ask()
}

func (i *Importer) readFile(path string) effect.Effect {
	name := tab.Typed(filepath.Base(path))
	text, err := i.view.Files.Read(path, largestImport)
	if err == nil && !utf8.Valid(text) {
		err = errors.New("it is not text in UTF-8; save it as text or CSV")
	}
	var l list
	if err == nil {
		l, err = i.read(string(text))
	}
	if err != nil {
		return effect.Warn("Not imported: " + name + ": " + err.Error() + ".")
	}
	return effect.Then(func() effect.Effect { return i.show(name, l) })
}

func (i *Importer) show(from string, l list) effect.Effect {
	if len(l.ids) == 0 {
		said := "There is no id in " + from + "."
		if len(l.left) > 0 {
			said += " " + quote(l.left[0], longestQuote)
		}
		return effect.Warn(said)
	}
	p := &panel{Importer: i, list: l, from: from}
	if l.column != "" {
		p.from += ", column " + tab.Typed(l.column)
	}
	if i.room != nil && len(p.ids) > mostShared {
		p.beyond = len(p.ids) - mostShared
		p.ids = slices.Clone(p.ids[:mostShared])
	}
	for _, id := range p.ids {
		if _, there := i.state(id); there {
			p.known++
		}
	}
	return effect.Show{Panel: p}
}

const longestQuote = 40

// quote quotes a line in so many cells, which show what is hidden in it.
func quote(line string, cells int) string {
	return `"` + style.Clip(tab.Typed(line), max(cells, 0)) + `"`
}
