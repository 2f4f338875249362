package importer

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tonne/model/localfile"
	"tonne/model/longtest"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// outcome is what the work that an effect asks for comes to.
func outcome(t *testing.T, e effect.Effect) any {
	t.Helper()
	work, ok := e.(effect.Work)
	if !ok {
		t.Fatalf("%+v is no work", e)
	}
	return work(t.Context())
}

// TestTextThatIsNoListIsNotRead runs alone: it counts what is allocated.
func TestTextThatIsNoListIsNotRead(t *testing.T) {
	const few = 1 << 20
	path := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("a\n", mostPieces)), 0o600); err != nil {
		t.Fatal(err)
	}
	i := New(&tab.View{Files: localfile.Machine{}}, nil, func(string) (string, bool) { return "", false })
	for name, text := range map[string]string{
		"lines":  strings.Repeat("a\n", mostPieces),
		"words":  strings.Repeat("a ", mostPieces),
		"cells":  strings.Repeat(",", mostPieces),
		"breaks": strings.Repeat("\r", mostPieces),
		"larger": strings.Repeat("a", largestImport+1),
	} {
		var came any
		paste := func() {
			came = outcome(t, i.Paste(text))
		}
		if got := allocated(paste); got > few {
			t.Errorf("%s: reading it takes %d MiB", name, got>>20)
		}
		if want := effect.Warn("Not read: that is more text than a list of ids can be."); !reflect.DeepEqual(came, want) {
			t.Errorf("%s: it came to %+v", name, came)
		}
	}
	if came := any(i.readFile(path)); !reflect.DeepEqual(came, effect.Warn("Not imported: ids.txt: that is more text than a list of ids can be.")) {
		t.Errorf("the file came to %+v", came)
	}
}

// TestALongListTakesBoundedMemory runs alone: it counts what is allocated.
func TestALongListTakesBoundedMemory(t *testing.T) {
	longtest.Only(t)
	i := New(&tab.View{Files: localfile.Machine{}}, nil, func(string) (string, bool) { return "", false })
	// The race detector adds some.
	const most = 320 << 20
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
		if got := allocated(func() { _, err = i.read(text) }); got > most || err != nil {
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

func TestTheNameOfAFileIsRepeatedWithItsMarks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "\u202esdi.txt")
	if err := os.WriteFile(path, []byte("\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := effect.Warn("Not imported: \ufffdsdi.txt: it is not text in UTF-8; save it as text or CSV.")
	if came := any(New(&tab.View{Files: localfile.Machine{}}, nil, func(string) (string, bool) { return "", false }).readFile(path)); !reflect.DeepEqual(came, want) {
		t.Errorf("it came to %+v", came)
	}
}
