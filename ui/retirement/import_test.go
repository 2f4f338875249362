package retirement

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tonne/model"
	"tonne/ui/uitest"
)

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

func TestIDsAreFoundInWhatPeopleHave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text           string
		want           []string
		again, refused int
	}{
		"a line each":            {idA + "\n" + idB + "\r\n\r\n" + idA + "\n", []string{idA, idB}, 0, 0},
		"one line":               {idA + ", " + idB + ";" + idC, []string{idA, idB, idC}, 0, 0},
		"with a byte order mark": {"\ufeff" + idA + "\n", []string{idA}, 0, 0},
		"other ids":              {"REQ-2024-01\nsome_id_7\n", []string{"some_id_7", "REQ-2024-01"}, 0, 0},
		"a mail":                 {"Dear Anna,\nplease check " + idA + " and " + idB + " by 2026-02-05.\nThanks, Ben", []string{idA, idB}, 0, 0},
		"a table with titles": {
			"invoice_id,retirement_request_id,label\n00iinvoiceinvoice1," + idA + ",Q3 flights\n00iinvoiceinvoice2," + idB + ",\"offsets, web\"\n",
			[]string{idA, idB}, 0, 0,
		},
		"a table without titles": {"5 Feb 2026;00iinvoiceinvoice1;" + idA + "\n6 Feb 2026;00iinvoiceinvoice2;" + idB + "\n", []string{idA, idB}, 0, 0},
		"a pasted spreadsheet":   {"Request\tTonnes\tCustomer\n" + idA + "\t15,000\tA Ltd\n" + idB + "\t4\tB Ltd\n", []string{idA, idB}, 0, 0},
		"evidence that was written": {
			"retirement_request_id,status,item_ids\n" + idA + ",COMPLETE,00pitemitemitemite\n" + idA + ",COMPLETE,00pitemitemitemite\n", []string{idA}, 1, 0,
		},
		"a cell that is no id":     {"retirement id,customer\n" + idA + ",A\nsoon,B\n" + idB + ",C\n", []string{idA, idB}, 0, 1},
		"ids of another form":      {"request,customer\nalpha,A\nbeta,B\n", []string{"alpha", "beta"}, 0, 0},
		"quoted for a spreadsheet": {"id,customer\n\"'" + idA + "\",=1+1\n", []string{idA}, 0, 0},
		"hidden characters":        {idA + "\n00m\u202eevil\u202c000001\n", []string{idA}, 0, 0},
		"nothing":                  {"\n \n", nil, 0, 0},
		// What is pasted comes with carriage returns through tmux and others.
		"a pasted table":             {"request,amount\r" + idA + ",5\r" + idB + ",7\r", []string{idA, idB}, 0, 0},
		"a table of Windows":         {"request,amount\r\n" + idA + ",5\r\n" + idB + ",7\r\n", []string{idA, idB}, 0, 0},
		"a pasted list":              {idA + "\r" + idB + "\r", []string{idA, idB}, 0, 0},
		"lines and lists":            {idA + "," + idB + "\n" + idC + "\n", []string{idA, idB, idC}, 0, 0},
		"lists and a word":           {"ids so far\n" + strings.Repeat(idA+", "+idB+"\r", 8) + idC + "\r", []string{idA, idB, idC}, 0, 0},
		"lists of another form":      {strings.Repeat("REQ-01,REQ-02\n", 8) + "soon\nREQ-03\n", []string{"REQ-01", "REQ-02", "REQ-03", "soon"}, 0, 0},
		"lists below a title":        {"these, please\n" + idA + "," + idB + "\n" + idC + "," + idA, []string{idA, idB, idC}, 0, 0},
		"lists with a bar":           {idA + "|" + idB + "\n" + idC, []string{idA, idB, idC}, 0, 0},
		"two ids in a cell":          {"request;customer\n" + idA + ", " + idB + ";A\nsee " + idC + ";B\n", []string{idA, idB, idC}, 0, 0},
		"a table with an empty cell": {"request,customer\n" + idA + ",A\n,B\n,\n" + idB + "\n" + idC + ",C\n" + idA + ",D\n", []string{idA, idB, idC}, 1, 1},
	} {
		s := readSheet(c.text)
		got, again, refused := s.ids(s.column)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || again != c.again || refused != c.refused {
			t.Errorf("%s: found %q, %d again, %d refused; want %q, %d, %d", name, got, again, refused, c.want, c.again, c.refused)
		}
	}
}

func TestLinesThatAreLeftOutAreCounted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(path, []byte(idA+"\r\n"+idB+"\r\nto be announced\r\n\r\n"+idC+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	r.Press("I")
	r.Reply(path)
	if box := r.box(100, 16); !strings.Contains(box, "3 ids, 1 line left out") {
		t.Errorf("the line without an id is not told of:\n%s", box)
	}
	r.Press("esc")
	r.paste("request,amount\r" + idA + ",5\rsoon,6\r" + idB + ",7\r")
	if box := r.box(100, 16); !strings.Contains(box, "◂ request ▸") || !strings.Contains(box, "2 ids, 1 line left out") {
		t.Errorf("the pasted table is misread:\n%s", box)
	}
	r.Press("enter")
	r.Sees("2 requests")
	r.paste("Dear Anna,\r" + idC + "\r")
	r.hears("Looking up 1 request; 1 line left out: no id there.")
}

func FuzzReadSheet(f *testing.F) {
	f.Add("a,b\n" + idA + ",1\n")
	f.Add(idA + "\n\"" + idB)
	f.Add("\ufeff\t\x00|\xff")
	f.Fuzz(func(t *testing.T, text string) {
		s := readSheet(text)
		for column := range s.columns() {
			ids, _, _ := s.ids(column)
			for i, id := range ids {
				if plain, refused := usable(model.SplitIDs(id)); refused > 0 || len(plain) != 1 || plain[0] != id {
					t.Errorf("%q is taken for an id", id)
				}
				if i < 10 && slices.Contains(ids[:i], id) {
					t.Errorf("%q is taken twice", id)
				}
			}
		}
	})
}

func TestATableIsShownBeforeItIsTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.csv")
	text := "customer,retirement_request_id,trade\n"
	for i := range 30 {
		text += fmt.Sprintf("Customer %d,00m%015d,00g%015d\n", i, i%28, i)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	r.paste("00m000000000000003")
	r.Press("I")
	if problem := r.Reply(" "); problem == "" {
		t.Error("no path was taken for one")
	}
	r.Press("I")
	if problem := r.Reply(path); problem != "" {
		t.Fatal(problem)
	}
	box := r.box(100, 16)
	for _, want := range []string{"◂ retirement_request_id ▸  2 of 3", "28 ids · 1 in the ledger already · 2 there twice", "in the ledger: looking up", "↵ looks them up"} {
		if !strings.Contains(box, want) {
			t.Errorf("%q is missing in\n%s", want, box)
		}
	}
	if len(r.feed.Asked) != 1 {
		t.Errorf("the feed was asked to %q before anything was confirmed", r.feed.Asked)
	}
	r.Press("right")
	if box := r.box(100, 16); !strings.Contains(box, "◂ trade ▸  3 of 3") || !strings.Contains(box, "00g000000000000000") {
		t.Errorf("the next column is not shown:\n%s", box)
	}
	r.Press("left", "j", "enter")
	r.Sees("28 requests")
	r.hears("27 new, 1 in the ledger already.")
	uitest.Golden(t, "imported", r.FrameAt(140, 32))
}

func TestManyPastedIDsAreShownFirst(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&list, "00m%015d\n", i)
	}
	r := newRobot(t, Options{})
	r.paste(list.String())
	if box := r.box(80, 14); !strings.Contains(box, "5,000 ids") || len(r.feed.Asked) > 0 {
		t.Errorf("asked for %d before it was confirmed:\n%s", len(r.feed.Asked), box)
	}
	r.Press("esc")
	r.Sees("The ledger is empty")
}

func TestWhatCannotBeImportedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, empty := filepath.Join(dir, "a.xlsx"), filepath.Join(dir, "empty.txt")
	for path, content := range map[string]string{binary: "PK\x03\x04\xff\xfe", empty: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent.txt"): "absent.txt: no such file", dir: "it is not a file", binary: "not text in UTF-8", empty: "There is no id in empty.txt",
	} {
		r := newRobot(t, Options{})
		r.Press("I")
		r.Reply(path)
		r.hears(want)
	}
	r := newRobot(t, Options{})
	r.Press("a")
	r.typed("00m\u200b1")
	r.Press("enter")
	r.hears("That is no id.")
	r.Press("a")
	r.paste(idA + "\n" + idB)
	r.Sees("2 requests")
}

func TestALongTextIsReadAwayFromTheKeys(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	read := r.CarryOut(r.tab.Paste(strings.Repeat(idA+"\n"+idB+"\n"+idC+"\n", 2000) + "00m000000000000004"))
	if r.Panel != nil || len(r.feed.Asked) > 0 {
		t.Error("it was read at once")
	}
	r.Run(read)
	if r.asked("look up "+idA) != 1 || r.asked("look up 00m000000000000004") != 1 {
		t.Errorf("the feed was asked to %q", r.feed.Asked)
	}
}

// TestTextThatIsNoListIsNotRead runs alone: it counts what is allocated.
func TestTextThatIsNoListIsNotRead(t *testing.T) {
	const few = 1 << 20
	path := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("a\n", mostPieces)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	for name, text := range map[string]string{
		"lines":  strings.Repeat("a\n", mostPieces),
		"words":  strings.Repeat("a ", mostPieces),
		"cells":  strings.Repeat(",", mostPieces),
		"breaks": strings.Repeat("\r", mostPieces),
		"larger": strings.Repeat("a", largestImport+1),
	} {
		if got := allocated(func() { r.paste(text) }); got > few {
			t.Errorf("%s: reading it takes %d MiB", name, got>>20)
		}
		r.hears("Not read: that is more text than a list of ids can be.")
		r.Said = nil
	}
	r.Press("I")
	r.Reply(path)
	r.hears("Not imported: ids.txt: that is more text than a list of ids can be.")
	if r.Panel != nil || len(r.feed.Asked) > 0 {
		t.Errorf("the feed was asked to %q", r.feed.Asked)
	}
}

// TestALongListTakesBoundedMemory runs alone: it counts what is allocated.
func TestALongListTakesBoundedMemory(t *testing.T) {
	r := newRobot(t, Options{})
	const most = 300 << 20
	wide := strings.Repeat("x1,", mostPieces/2)
	for name, text := range map[string]string{
		"lines":              strings.Repeat("a\n", mostPieces-2),
		"long lines":         strings.Repeat("a23456789012345\n", mostPieces-2),
		"words":              strings.Repeat("a ", mostPieces-2),
		"cells":              strings.Repeat(",", mostPieces-2),
		"one row of many":    wide + strings.Repeat("\n1a,b", mostPieces/5),
		"many ids in a cell": strings.Repeat("00m000000000000001 ", largestImport/19-10_000),
		"quotes":             "a,\"" + strings.Repeat("\"\n", mostPieces-4),
	} {
		var err error
		if got := allocated(func() { _, err = r.tab.readIDs(text) }); got > most || err != nil {
			t.Errorf("%s: reading %d bytes takes %d MiB, %v", name, len(text), got>>20, err)
		}
	}
}

// allocated returns how many bytes a function allocates. No other test may run
// meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAKnownRequestIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(idA + " " + idB)
	r.found(uitest.Retirement(idA, model.Complete), uitest.Retirement(idB, model.Open))
	r.paste(idA + " " + idB)
	if a, b := r.asked("look up "+idA), r.asked("look up "+idB); a != 1 || b != 2 {
		t.Errorf("what is final was looked up %d times, what may change %d times", a, b)
	}
	r.Press("R")
	if r.asked("look up "+idA) != 2 {
		t.Error("R does not look up again")
	}
}
