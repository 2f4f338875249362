package cli

import (
	"runtime"
	"strings"
	"testing"
)

const factHeader = "scope,id,attribute,value,source,checked"

const soundFacts = factHeader + "\n" +
	"project,P1,methodology,\"VM0007, version 1\",https://verra.org/vm0007,2026-03-01\n" +
	"serial," + r1Serial + ",ccp,Yes,https://icvcm.org/ccp,2026-03-02\n" +
	"vintage,V1,removal,reduction,https://verra.org/vm0007,2026-03-01\n"

func TestImportedFileNameIsEscaped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows file names cannot contain control characters")
	}
	w := newWorld(t, nil)
	r := w.run("attributes", "import", w.write("a\x1b[2J.csv", soundFacts))
	if r.status != 0 || strings.Contains(r.stderr, "\x1b") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}
