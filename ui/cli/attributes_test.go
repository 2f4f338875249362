package cli

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/ui/cli/command"
)

const factHeader = "scope,id,attribute,value,source,checked"

const soundFacts = factHeader + "\n" +
	"project,P1,methodology,\"VM0007, version 1\",https://verra.org/vm0007,2026-03-01\n" +
	"serial," + r1Serial + ",ccp,Yes,https://icvcm.org/ccp,2026-03-02\n" +
	"vintage,V1,removal,reduction,https://verra.org/vm0007,2026-03-01\n"

func TestAttributesAreImportedAndListedAsTheyCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := w.run("attributes", "import", w.write("a.csv", "\ufeff"+soundFacts))
	if r.status != 0 || r.stdout != "" || !strings.HasPrefix(r.stderr, "3 attributes were taken from ") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	want := strings.Replace(soundFacts, ",Yes,", ",yes,", 1)
	if got := w.must("attributes", "list", "-o", "csv"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.must("attributes", "import", w.write("b.csv", want))
	if got := w.must("attributes", "list", "-o", "csv"); got != want {
		t.Errorf("what was listed is imported as\n%s", got)
	}
	sameFields(t, w.must("attributes", "list", "-o", "jsonl"), factHeader, 3)
	if got := w.must("attributes", "list", "-o", "json"); !strings.Contains(got, `{"scope":"vintage","id":"V1","attribute":"removal","value":"reduction",`) {
		t.Errorf("JSON:\n%s", got)
	}
	w.must("attributes", "import", w.write("c.csv", factHeader+"\nvintage,V1,removal,,https://verra.org/vm0007,2026-03-01\n"))
	if got := w.must("attributes", "list"); strings.Contains(got, "removal") || !strings.Contains(got, "methodology") {
		t.Errorf("what was taken back is listed:\n%s", got)
	}
}

func TestTheNameOfAnImportedFileIsHarmless(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no name of a file may hold control characters")
	}
	w := newWorld(t, nil)
	r := w.run("attributes", "import", w.write("a\x1b[2J.csv", soundFacts))
	if r.status != 0 || strings.Contains(r.stderr, "\x1b") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}

func TestAttributesAreTakenAllOrNoneAndWrongLinesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.must("attributes", "import", w.write("a.csv", soundFacts))
	before := w.must("attributes", "list", "-o", "csv")
	const sound = "vintage,V9,ccp,yes,https://icvcm.org/ccp,2026-03-01\n"
	for text, want := range map[string]string{
		"":           "the first line is not",
		"scope,id\n": "the first line is not",
		factHeader + "\n" + sound + "planet,P1,ccp,yes,https://a.example,2026-03-01\n":                                                    `line 3: the scope "planet"`,
		factHeader + "\n" + sound + "vintage,V1\n" + sound:                                                                                "line 3: wrong number of fields; line 4 says again what line 2 does",
		factHeader + "\n" + sound + "vintage,V1,ccp,yes,https://a.example,2999-01-01\n":                                                   "line 3: the date",
		factHeader + "\n" + sound + "vintage,V1,ccp,yes,https://a.example,soon\n":                                                         "line 3: the date",
		factHeader + "\n" + sound + "vintage,V1,ccp,\"yes,https://a.example,2026-01-01\n":                                                 "line 3: ",
		factHeader + "\n\"vintage,V1,ccp,yes,https://a.example,2026-01-01\n":                                                              "line 2: ",
		factHeader + "\n" + sound + "serial," + strings.Replace(r1Serial, "-1-2-", "-2-3-", 1) + ",ccp,no,https://a.example,2026-01-01\n": "which overlap",
	} {
		path := w.write("wrong.csv", text)
		r := w.run("attributes", "import", path)
		if what, todo := r.sentences(t); r.status != command.StatusFailed || !strings.Contains(what, want) || !strings.Contains(todo, "nothing of it was taken") {
			t.Errorf("%q: status %d, %s", text, r.status, what)
		}
	}
	if got := w.must("attributes", "list", "-o", "csv"); got != before {
		t.Errorf("something was taken:\n%s", got)
	}
	for _, args := range [][]string{nil, {"a.csv", "b.csv"}} {
		if r := w.run(append([]string{"attributes", "import"}, args...)...); r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
	}
	if r := w.run("attributes", "import", "/nonexist/a.csv"); r.status != command.StatusFailed {
		t.Errorf("no file: status %d", r.status)
	}
}

func TestEvidenceHasTheBuyersAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.must("attributes", "import", w.write("a.csv", soundFacts))
	path := filepath.Join(w.env["HOME"], "e.csv")
	w.must("retirement", "R1", "R2", "--evidence", path)
	rows := readEvidence(t, path)
	for id, wants := range map[string]map[string]string{
		"R1": {"methodology": "VM0007, version 1", "ccp_corsia_labels": "CCP: yes; CORSIA: not supplied", "removal": "reduction", "verifier": "not supplied"},
		"R2": {"methodology": "not supplied", "removal": "not supplied"},
	} {
		for column, want := range wants {
			if got := rows[id][column]; got != want {
				t.Errorf("%s of %s is %q, want %q", column, id, got, want)
			}
		}
	}
}

func TestWhatTypesProposeIsRefusedUntilSomebodyConfirmsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	local := w.memory()
	projects := []model.Project{{ID: "P1", Type: "Wind"}, {ID: "P2", Type: "Biochar"}, {ID: "P3", Type: "Improved Forest Management"}}
	if err := local.PutProjects(t.Context(), baseURL, projects, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := local.Close(); err != nil {
		t.Fatal(err)
	}
	want := factHeader + "\nproject,P1,removal,reduction,,\nproject,P2,removal,removal,,\n"
	got := w.must("attributes", "propose", "-o", "csv")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r := w.run("attributes", "import", w.write("a.csv", got)); r.status != command.StatusFailed || w.must("attributes", "list", "-o", "csv") != factHeader+"\n" {
		t.Errorf("proposals are taken for facts: status %d\n%s", r.status, r.stderr)
	}
	confirmed := factHeader + "\nproject,P1,removal,reduction,https://registry.example/P1,2026-03-01\n"
	w.must("attributes", "import", w.write("b.csv", confirmed))
	if got := w.must("attributes", "propose", "-o", "csv"); got != factHeader+"\nproject,P2,removal,removal,,\n" {
		t.Errorf("once one is confirmed\n%s", got)
	}
}

func TestAnIDThatNobodyKnowsIsToldWhenItsAttributesAreTaken(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	r := w.run("attributes", "import", w.write("a.csv", soundFacts+
		"project,P1x,ccp,yes,https://icvcm.org/ccp,2026-03-01\nproject,P1x,corsia,2,https://icao.int/,2026-03-01\nvintage,V1x,ccp,yes,https://icvcm.org/ccp,2026-03-01\n"))
	if r.status != 0 || !strings.HasPrefix(r.stderr, "6 attributes were taken from ") ||
		!strings.HasSuffix(r.stderr, "\ntonne: 2 ids are of no project or vintage that this machine knows, and may be a slip: P1x; V1x.\n") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
	r = w.run("attributes", "import", w.write("b.csv", factHeader+"\nvintage,V2,ccp,yes,https://icvcm.org/ccp,2026-03-01\n"))
	if r.status != 0 || !strings.HasPrefix(r.stderr, "1 attribute was taken from ") || strings.Contains(r.stderr, "slip") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

func TestAttributesMayBeSeparatedAsSpreadsheetsOfSomeCountriesDo(t *testing.T) {
	t.Parallel()
	w, _ := knowing(t)
	lines := strings.ReplaceAll(factHeader, ",", ";") + "\nproject;P1;methodology;VM0007, v1.6;https://verra.org/a;2026-01-02\n"
	w.must("attributes", "import", w.write("a.csv", "\ufeff"+lines))
	if got := w.must("attributes", "list", "-o", "csv"); !strings.Contains(got, `project,P1,methodology,"VM0007, v1.6",https://verra.org/a,2026-01-02`) {
		t.Errorf("got\n%s", got)
	}
}
