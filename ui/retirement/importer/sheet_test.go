package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/file/tabular"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

func TestReadList(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "lists", func(text string) string {
		l, err := readList(must.Get(tabular.Parse(text, "")))
		if err != nil {
			return err.Error()
		}
		slices.Sort(l.ids)
		found := strings.Join(l.ids, " ")
		if l.again > 0 {
			found += fmt.Sprintf(", %d again", l.again)
		}
		if len(l.left) > 0 {
			found += fmt.Sprintf(", %d skipped", len(l.left))
		}
		return found
	})
}

func FuzzReadList(f *testing.F) {
	f.Add("a,b\n" + idA + ",1\n")
	f.Add(idA + "\n\"" + idB)
	f.Add("\ufeff\t\x00|\xff")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := tabular.Parse(text, "")
		if err != nil {
			return
		}
		l, _ := readList(table)
		ids := l.ids
		for i, id := range ids {
			plain := usable(model.SplitIDs(id))
			must.Hold(t, len(plain) == 1 && plain[0] == id, id)
			must.Hold(t, i >= 10 || !slices.Contains(ids[:i], id), id)
		}
	})
}
