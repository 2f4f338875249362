package retirement

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"tonne/ui/effect"
)

const (
	// largestImport is the largest file that ids are read from.
	largestImport = 16 << 20
	// mostPieces is how many words and cells such a file may hold: each takes
	// many times its length while it is read.
	mostPieces = 1 << 20
	// readAtOnce is the longest pasted text, in bytes, that is read before the
	// next key is taken.
	readAtOnce = 64 << 10
	// fewIDs is how many ids are looked up without asking first.
	fewIDs = 20
)

// errTooMuch says that a text is not read for ids.
var errTooMuch = errors.New("that is more text than a list of ids can be")

// Paste looks up the ids in what was pasted, wherever the keys are. Where
// there are many, or it is not plain which words are ids, it shows them first.
func (t *Tab) Paste(text string) effect.Effect {
	if len(text) <= readAtOnce {
		return t.pasted(readSheet(text))
	}
	return effect.Work(func(context.Context) any {
		s, err := t.readIDs(text)
		if err != nil {
			return effect.Warn("Not read: " + err.Error() + ".")
		}
		return pasteRead{s}
	})
}

// pasteRead is what was found in a text that was pasted.
type pasteRead struct{ sheet sheet }

func (t *Tab) pasted(s sheet) effect.Effect {
	ids, _, without := s.ids(s.column)
	without += s.without
	switch {
	case s.columns() > 1 || len(ids) > fewIDs:
		return t.preview("what was pasted", s)
	case len(ids) == 0 && without > 0:
		return effect.Warn("There is no id in what was pasted.")
	}
	return t.addSome(ids, without)
}

// readIDs reads a text that may be long, one at a time, away from Update.
func (t *Tab) readIDs(text string) (sheet, error) {
	if len(text) > largestImport || pieces(text) > mostPieces {
		return sheet{}, errTooMuch
	}
	t.idsTurn.Lock()
	defer t.idsTurn.Unlock()
	return readSheet(text), nil
}

// askImport asks for a file with ids.
func (t *Tab) askImport() effect.Effect {
	return effect.Prompt{
		Title: "Import ids", Hint: "a text file with an id a line, or a CSV with a column of them",
		Parse: func(typed string) (any, string) {
			path, err := expand(typed)
			if err != nil {
				return nil, err.Error()
			}
			return importTyped(path), ""
		},
	}
}

// importTyped is the path of a file with ids.
type importTyped string

// fileRead is what was found in a file with ids.
type fileRead struct {
	name  string
	sheet sheet
}

// readFile reads a file in the background and shows what was found.
func (t *Tab) readFile(path string) effect.Effect {
	return effect.Work(func(context.Context) any {
		text, err := readText(path)
		var s sheet
		if err == nil {
			s, err = t.readIDs(text)
		}
		if err != nil {
			return effect.Warn("Not imported: " + filepath.Base(path) + ": " + err.Error() + ".")
		}
		return fileRead{filepath.Base(path), s}
	})
}

func readText(path string) (string, error) {
	var text strings.Builder
	switch err := copyRegular(&text, path, largestImport); {
	case err != nil:
		return "", err
	case !utf8.ValidString(text.String()):
		return "", errors.New("it is not text in UTF-8; save it as text or CSV")
	}
	return text.String(), nil
}

// preview shows what would be looked up.
func (t *Tab) preview(from string, s sheet) effect.Effect {
	p := &importPanel{tab: t, from: from, sheet: s, column: s.column}
	p.count()
	if len(p.ids) == 0 && s.columns() < 2 {
		return effect.Warn("There is no id in " + from + ".")
	}
	return effect.Show{Panel: p}
}
