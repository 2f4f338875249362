package retirement

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/view"
)

const (
	// largestImport is the largest file that ids are read from.
	largestImport = 16 << 20
	// fewIDs is how many ids are looked up without asking first.
	fewIDs = 20
)

// Paste looks up the ids in what was pasted, wherever the keys are. Where
// there are many, or it is not plain which words are ids, it shows them first.
func (t *Tab) Paste(text string) tea.Cmd {
	if len(text) > largestImport {
		return view.Complain("That is more text than a list of ids can be.")
	}
	s := readSheet(text)
	ids, _, without := s.ids(s.column)
	without += s.without
	switch {
	case s.columns() > 1 || len(ids) > fewIDs:
		return t.preview("what was pasted", s)
	case len(ids) == 0 && without > 0:
		return view.Complain("There is no id in what was pasted.")
	}
	return t.addSome(ids, without)
}

// askImport asks for a file with ids.
func (t *Tab) askImport() tea.Cmd {
	return t.view.Show(view.Ask{
		Title: "Import ids", Hint: "a text file with an id a line, or a CSV with a column of them",
		Done: func(typed string) (tea.Cmd, string) {
			path, err := expand(typed)
			if err != nil {
				return nil, err.Error()
			}
			return t.readFile(path), ""
		},
	})
}

// readFile reads a file in the background and shows what was found.
func (t *Tab) readFile(path string) tea.Cmd {
	return func() tea.Msg {
		text, err := readText(path)
		if err != nil {
			return view.Toast{Text: "Not imported: " + filepath.Base(path) + ": " + err.Error() + ".", Bad: true}
		}
		s := readSheet(text)
		return view.Done(func() tea.Cmd { return t.preview(filepath.Base(path), s) })
	}
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
func (t *Tab) preview(from string, s sheet) tea.Cmd {
	p := &importPanel{tab: t, from: from, sheet: s, column: s.column}
	p.count()
	if len(p.ids) == 0 && s.columns() < 2 {
		return view.Complain("There is no id in " + from + ".")
	}
	return t.view.Show(view.Lay{Panel: p})
}
