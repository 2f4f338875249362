package importer

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tonne/model/file/localfile"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// outcome runs the work of an effect and returns its result.
func outcome(t *testing.T, e effect.Effect) any {
	t.Helper()
	work, ok := e.(effect.Work)
	must.Need(t, ok, e)
	return work(t.Context())
}

// TestTooLargeTextIsNotParsed counts allocations, so it does not run in parallel.
func TestTooLargeTextIsNotParsed(t *testing.T) {
	const few = 1 << 20
	path := filepath.Join(t.TempDir(), "ids.txt")
	must.Succeed(t, os.WriteFile(path, []byte(strings.Repeat("a\n", mostPieces)), 0o600))
	i := New(&tab.View{Files: localfile.Machine{}}, nil, func(string) (string, bool) { return "", false })
	for name, text := range map[string]string{
		"lines":  strings.Repeat("a\n", mostPieces),
		"words":  strings.Repeat("a ", mostPieces),
		"cells":  strings.Repeat(",", mostPieces),
		"breaks": strings.Repeat("\r", mostPieces),
		"larger": strings.Repeat("a", largestImport+1),
	} {
		var got any
		paste := func() {
			got = outcome(t, i.Paste(text))
		}
		if got := allocated(paste); got > few {
			t.Errorf("%s: reading it takes %d MiB", name, got>>20)
		}
		must.Hold(t,
			reflect.DeepEqual(got, effect.Warn("Could not read the pasted text: the text is too large for a list of ids.")),
			name, got)
	}
	got := any(i.readFile(path))
	must.Hold(t, reflect.DeepEqual(got, effect.Warn("Cannot import ids.txt: the text is too large for a list of ids.")),
		"file: result", got)
}

// TestLongListUsesBoundedMemory counts allocations, so it does not run in parallel.
func TestLongListUsesBoundedMemory(t *testing.T) {
	longtest.Only(t)
	i := New(&tab.View{Files: localfile.Machine{}}, nil, func(string) (string, bool) { return "", false })
	// The race detector adds allocations.
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
		got := allocated(func() { _, _, err = i.read(text) })
		must.Hold(t, got <= most && err == nil, name, len(text), got>>20, err)
	}
}

// allocated returns how many bytes a function allocates. No other test may run meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
