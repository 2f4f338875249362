package importer

import (
	"slices"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
)

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

func TestReadList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text           string
		want           []string
		again, refused int
	}{
		"one per line":           {idA + "\n" + idB + "\r\n\r\n" + idA + "\n", []string{idA, idB}, 1, 0},
		"one line":               {idA + ", " + idB + ";" + idC, []string{idA, idB, idC}, 0, 0},
		"with a byte order mark": {"\ufeff" + idA + "\n", []string{idA}, 0, 0},
		"other ids":              {"REQ-2024-01\nsome_id_7\n", []string{"some_id_7", "REQ-2024-01"}, 0, 0},
		"an email":               {"Dear Anna,\nplease check " + idA + " and " + idB + " by 2026-02-05.\nThanks, Ben", []string{idA, idB}, 0, 2},
		"a table with titles": {
			"invoice_id,retirement_request_id,label\n00iinvoiceinvoice1," + idA + ",Q3 flights\n00iinvoiceinvoice2," + idB + ",\"offsets, web\"\n",
			[]string{idA, idB}, 0, 0,
		},
		"a table without titles": {"5 Feb 2026;00iinvoiceinvoice1;" + idA + "\n6 Feb 2026;00iinvoiceinvoice2;" + idB + "\n", []string{idA, idB}, 0, 0},
		"a pasted spreadsheet":   {"Request\tTonnes\tCustomer\n" + idA + "\t15,000\tA Ltd\n" + idB + "\t4\tB Ltd\n", []string{idA, idB}, 0, 0},
		"an evidence file": {
			"retirement_request_id,status,item_ids\n" + idA + ",COMPLETE,00pitemitemitemite\n" + idA + ",COMPLETE,00pitemitemitemite\n", []string{idA}, 1, 0,
		},
		"a cell without an id":     {"retirement id,customer\n" + idA + ",A\nsoon,B\n" + idB + ",C\n", []string{idA, idB}, 0, 1},
		"ids of another form":      {"request,customer\nalpha,A\nbeta,B\n", []string{"alpha", "beta"}, 0, 0},
		"quoted for a spreadsheet": {"id,customer\n\"'" + idA + "\",=1+1\n", []string{idA}, 0, 0},
		"hidden characters":        {idA + "\n00m\u202eevil\u202c000001\n", []string{idA}, 0, 1},
		"nothing":                  {"\n \n", nil, 0, 0},
		// Terminals such as tmux paste line breaks as carriage returns.
		"a pasted table":             {"request,amount\r" + idA + ",5\r" + idB + ",7\r", []string{idA, idB}, 0, 0},
		"a table of Windows":         {"request,amount\r\n" + idA + ",5\r\n" + idB + ",7\r\n", []string{idA, idB}, 0, 0},
		"a pasted list":              {idA + "\r" + idB + "\r", []string{idA, idB}, 0, 0},
		"lines and lists":            {idA + "," + idB + "\n" + idC + "\n", []string{idA, idB, idC}, 0, 0},
		"lists and a word":           {"ids so far\n" + strings.Repeat(idA+", "+idB+"\r", 8) + idC + "\r", []string{idA, idB, idC}, 14, 1},
		"lists of another form":      {strings.Repeat("REQ-01,REQ-02\n", 8) + "soon\nREQ-03\n", []string{"REQ-01", "REQ-02", "REQ-03", "soon"}, 14, 0},
		"lists below a title":        {"these, please\n" + idA + "," + idB + "\n" + idC + "," + idA, []string{idA, idB, idC}, 1, 1},
		"lists with a bar":           {idA + "|" + idB + "\n" + idC, []string{idA, idB, idC}, 0, 0},
		"two ids in a cell":          {"request;customer\n" + idA + ", " + idB + ";A\nsee " + idC + ";B\n", []string{idA, idB, idC}, 0, 0},
		"a table with an empty cell": {"request,customer\n" + idA + ",A\n,B\n,\n" + idB + "\n" + idC + ",C\n" + idA + ",D\n", []string{idA, idB, idC}, 1, 1},
	} {
		l := readList(c.text)
		got, again, refused := l.ids, l.again, l.left
		slices.Sort(got)
		slices.Sort(c.want)
		must.Hold(t, slices.Equal(got, c.want) && again == c.again && len(refused) == c.refused,
			name, got, again, len(refused), c.want, c.again, c.refused)
	}
}

func FuzzReadList(f *testing.F) {
	f.Add("a,b\n" + idA + ",1\n")
	f.Add(idA + "\n\"" + idB)
	f.Add("\ufeff\t\x00|\xff")
	f.Fuzz(func(t *testing.T, text string) {
		ids := readList(text).ids
		for i, id := range ids {
			plain := usable(model.SplitIDs(id))
			must.Hold(t, len(plain) == 1 && plain[0] == id, id)
			must.Hold(t, i >= 10 || !slices.Contains(ids[:i], id), id)
		}
	})
}
