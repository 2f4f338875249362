package retirement

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// evidenceWriter records calls and returns each of its errors once.
type evidenceWriter struct {
	files   []audit.File
	errors  []error
	written audit.Written
}

func (f *evidenceWriter) write(_ context.Context, file audit.File) (audit.Written, error) {
	f.files = append(f.files, file)
	if len(f.errors) == 0 {
		f.written.Requests = len(file.Of)
		return f.written, nil
	}
	err := f.errors[0]
	f.errors = f.errors[1:]
	return audit.Written{}, err
}

// filer is a robot with a complete request, a closed one and one that is looked up.
type filer struct {
	*robot
	evidenceWriter
}

func newFiler(t testing.TB) *filer {
	f := new(filer)
	f.robot = newRobot(t, Options{WriteEvidence: f.write, CertificateDir: t.TempDir()})
	f.paste(idB + " " + sampleID + " " + idA)
	f.found(request(retirement.Complete), uitest.Retirement(idB, retirement.Closed))
	f.Press("j")
	return f
}

// failsOnce makes the next file fail.
func failsOnce(err error) func(f *filer) { return func(f *filer) { f.errors = append(f.errors, err) } }

func reports(text string) func(f *filer) {
	return func(f *filer) {
		f.T.Helper()
		f.hears(text)
	}
}

// wrote checks the names of all files and the requests in the last one.
func wrote(names string, ids ...string) func(f *filer) {
	return func(f *filer) {
		f.T.Helper()
		var got, of []string
		for n, file := range f.files {
			got = append(got, filepath.Base(file.Path))
			for _, source := range file.Of {
				if n == len(f.files)-1 {
					of = append(of, source.Retirement.ID)
				}
			}
		}
		if strings.Join(got, " ") != names || !slices.Equal(of, ids) {
			f.T.Errorf("wrote %q with %q, want %q with %q", got, of, names, ids)
		}
	}
}

// tight checks that the dialog has one empty line, and its keys in the last one.
func tight(f *filer) {
	f.T.Helper()
	lines := strings.Split(f.box(76, 20), "\n")
	blank := len(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) != "" }))
	if blank != 1 || !strings.Contains(lines[len(lines)-1], "Esc cancels") {
		f.T.Errorf("%d lines are empty:\n%s", blank, strings.Join(lines, "\n"))
	}
}

func TestEvidenceJourneys(t *testing.T) {
	t.Parallel()
	uitest.Journeys[*filer]{
		"of one request": {
			{Keys: "e", Sees: "1 request: " + sampleID + "|tax ids masked"},
			{Keys: "enter", Do: reports("Wrote evidence of 1 request to ")},
			{Do: wrote("evidence-"+sampleID+".csv", sampleID)},
			{Do: func(f *filer) {
				file := f.files[0]
				if filepath.Dir(file.Path) != f.tab.certificates.directory || file.ShowTaxIDs || file.Replace || !file.Of[0].ProjectKnown || file.Of[0].Project.Name != "Bale Mountains" {
					f.T.Errorf("wrote %+v", file)
				}
			}},
		},
		"of all that are shown": {
			{Keys: "E", Sees: "all shown: 2 requests, 1 left out"},
			{Keys: "ctrl+t", Sees: "tax ids in full"},
			{Keys: "enter", Do: wrote("evidence-2026-11-02.zip", idB, sampleID)},
			{Do: func(f *filer) {
				if !f.files[0].ShowTaxIDs {
					f.T.Error("the tax ids are masked")
				}
			}},
			{Keys: "/", Typed: "closed"},
			{Keys: "enter E enter", Do: wrote("evidence-2026-11-02.zip evidence-"+idB+".zip", idB)},
		},
		"the file is named after the search": {
			{Keys: "/", Typed: "customer"},
			{Keys: "enter", Do: func(f *filer) { f.found(request(retirement.Complete), uitest.Retirement(idB, retirement.Closed)) }},
			{Keys: "E enter", Do: wrote("evidence-customer-2026-11-02.zip", idB, sampleID)},
		},
		"a serial number leads to a pack": {
			{Do: func(f *filer) { twoOwners(f.robot); f.written.Certificates = 1 }},
			{Keys: "/", Typed: "33000"},
			{Keys: "enter E enter", Do: reports("Packed 1 request with 1 certificate to ")},
			{Do: wrote("evidence-"+idB+".zip", idB)},
		},
		"problems are listed": {
			{Keys: "e", Sees: "⚠ 1 problem:|" + sampleID + " beneficiary on every item", Do: tight},
			{Keys: "tab", Sees: "problems:|" + idA + " is left out: looking up", Do: tight},
			{Do: func(f *filer) {
				f.written = audit.Written{LeftOut: 1, Failed: []audit.FailedCheck{{Request: "00m1", Check: "certificate_on_file", Detail: "was altered"}, {Request: "00m2", Detail: "not found"}}}
			}},
			{Keys: "enter", Do: reports("1 request left out. 1 check failed: 00m1 certificate on file: was altered.")},
			{Keys: "k e", Do: tight},
		},
		"a file is replaced only after confirmation": {
			{Do: failsOnce(fs.ErrExist)},
			{Keys: "e enter", Sees: "The file already exists. ↵ replaces it"},
			{Keys: "enter", Do: func(f *filer) {
				if f.hears("Wrote evidence"); len(f.files) != 2 || f.files[0].Replace || !f.files[1].Replace {
					f.T.Errorf("wrote %+v", f.files)
				}
			}},
		},
		"an unknown ending is rejected": {
			{Keys: "e x enter", Sees: "must end in .csv, .json or .xlsx", Do: wrote("")},
			{Keys: "esc", Lacks: "must end in", Do: wrote("")},
		},
		"a failure is reported": {
			{Do: failsOnce(errors.New("permission denied"))},
			{Keys: "e enter", Do: reports("Not written: permission denied.")},
			{Keys: "G e enter", Sees: "There is nothing to write: no request has been answered yet."},
		},
	}.Each(t, newFiler)
}
