// Package importer finds the ids of retirement requests in typed text, pasted text and files.
// It shows what it found in a dialog if there is much or some lines have no id, and then
// returns a Found to the tab. It does not look the requests up. Start reading at Importer in
// importer.go; sheet.go parses lists and tables.
package importer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/file/tabular"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const (
	// largestImport limits the size of an imported text in bytes. The limit of a shared session,
	// largestShared, is lower because all users paste into the memory of one machine.
	largestImport, largestShared = 16 << 20, 1 << 20
	// mostShared limits the ids of one import in a shared session.
	mostShared = 10_000
	// mostPieces limits the words and cells of a text. Parsing needs many times their length.
	mostPieces = 1 << 20
	// readAtOnce is the size in bytes up to which a pasted text is parsed without background work.
	readAtOnce = 64 << 10
	// fewIDs is the number of ids that are looked up without confirmation.
	fewIDs = 20
)

// Found is the ids that the user wants to look up.
type Found []string

// Importer finds ids and passes them to the tab's Handle as a Found.
type Importer struct {
	// Line is the input field for ids.
	Line tab.Entry
	// Compare compares the records of a file with the ledger; decided says how the file was read. Nil
	// if that is not available.
	Compare func(name, decided string, records []reconcile.Record) effect.Effect
	// state returns the state of a request, or false if it is not in the ledger.
	state func(id string) (string, bool)
	// room returns how many more requests fit in the ledger of a shared session; nil means no limit.
	room func() int
	view *tab.View
	// turn serialises the parsing of long texts.
	turn sync.Mutex
}

// New returns an importer. Room returns how many more requests fit in the ledger of a shared
// session; if it is nil, the session is not shared. A shared session imports at most 10,000 ids
// and 1 MiB of text at once. State returns the state of a request, or false if it is not in
// the ledger.
func New(v *tab.View, room func() int, state func(id string) (string, bool)) *Importer {
	return &Importer{Line: tab.NewEntry(), state: state, room: room, view: v}
}

// Type handles a key or a paste in the input field.
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
				return effect.Warn("That is not a valid id.")
			}
			return effect.Answer{Value: Found(ids)}
		}
	}
	return i.Line.Take(msg)
}

// fitsLine reports whether a paste is a part of one id. The input field would cut off several.
func fitsLine(text string) bool {
	return len(text) <= longestID && !strings.ContainsAny(text, "\r\n") && len(model.SplitIDs(text)) < 2
}

func (i *Importer) leaveLine() string {
	typed := i.Line.Value()
	i.Line.SetValue("")
	i.Line.Blur()
	return typed
}

// Paste looks up the ids in a pasted text. It shows them first if there are many, or if they
// are in a table or among other lines.
func (i *Importer) Paste(text string) effect.Effect {
	read := func() effect.Effect {
		_, l, err := i.read(text)
		if err != nil {
			return effect.Warn("Could not read the pasted text: " + tab.Typed(err.Error()) + ".")
		}
		return effect.Then(func() effect.Effect { return i.pasted(l) })
	}
	if len(text) <= readAtOnce {
		return read()
	}
	return effect.Work(func(context.Context) any { return read() })
}

func (i *Importer) pasted(l list) effect.Effect {
	if l.column != "" || len(l.left) > 0 || len(l.ids) > fewIDs {
		return i.show("the pasted text", l, nil)
	}
	return effect.Answer{Value: Found(l.ids)}
}

// read finds the ids in a text. The table is nil if it is not text or too large.
func (i *Importer) read(text string) (*tabular.Table, list, error) {
	switch {
	case i.room != nil && len(text) > largestShared:
		return nil, list{}, errors.New("a shared desk imports at most 1 MiB at once; split the list")
	case len(text) > largestImport || pieces(text) > mostPieces:
		return nil, list{}, errors.New("the text is too large for a list of ids")
	}
	i.turn.Lock()
	defer i.turn.Unlock()
	table, err := tabular.Parse(text, "")
	if err != nil {
		return nil, list{}, err
	}
	l, err := readList(table)
	return table, l, err
}

// AskFile prompts for a file, reads it and shows the ids that it found.
func (i *Importer) AskFile() effect.Effect {
	return tab.Prompt{
		Title: "Import ids", Hint: "a text file with one id per line, or a CSV or .xlsx with a column of ids",
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
	raw, err := i.view.Files.Read(path, largestImport)
	if err != nil {
		return effect.Warn("Cannot import " + name + ": " + err.Error() + ".")
	}
	table, l, err := i.read(string(raw))
	var compare func() effect.Effect
	ids := true
	if table != nil {
		compare, ids = i.comparison(name, table)
	}
	if err != nil && (compare == nil || ids) {
		return effect.Warn("Cannot import " + name + ": " + tab.Typed(err.Error()) + ".")
	}
	return effect.Then(func() effect.Effect {
		if compare != nil && !ids {
			return compare()
		}
		return i.show(name, l, compare)
	})
}

// comparison returns a function that compares the records of a table, or nil if it has no more than
// ids, and whether the table has ids.
func (i *Importer) comparison(name string, table *tabular.Table) (compare func() effect.Effect, ids bool) {
	if i.Compare == nil {
		return nil, true
	}
	r, err := table.Records(reconcile.Spec(nil, nil))
	columns, refused := errors.AsType[*tabular.ColumnsError](err)
	switch {
	case refused && columns.Flag == "":
		return nil, true
	case err != nil:
		warn := effect.Warn("Cannot compare " + name + ": " + tab.Typed(err.Error()) + ".")
		return func() effect.Effect { return warn }, true
	}
	records := reconcile.Records(r)
	return func() effect.Effect { return i.Compare(name, r.Decisions(true), records) }, r.Has(string(reconcile.IDColumn))
}

func (i *Importer) show(from string, l list, compare func() effect.Effect) effect.Effect {
	if len(l.ids) == 0 {
		said := "No id found in " + from + "."
		if len(l.left) > 0 {
			said += " " + quote(l.left[0], longestQuote)
		}
		return effect.Warn(said)
	}
	p := &panel{Importer: i, list: l, from: from, compare: compare}
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

// quote quotes a line in at most cells cells and makes hidden characters visible.
func quote(line string, cells int) string {
	return `"` + style.Clip(tab.Typed(line), max(cells, 0)) + `"`
}
