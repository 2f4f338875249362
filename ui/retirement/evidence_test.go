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

func withEvidence(t *testing.T, f *evidenceWriter) *robot {
	t.Helper()
	r := newRobot(t, Options{WriteEvidence: f.write, CertificateDir: t.TempDir()})
	r.paste(idB + " " + sampleID + " " + idA)
	r.found(request(retirement.Complete), uitest.Retirement(idB, retirement.Closed))
	r.Press("j")
	return r
}

func TestEvidenceOfOneRequest(t *testing.T) {
	t.Parallel()
	var f evidenceWriter
	r := withEvidence(t, &f)
	r.Press("e")
	r.shows(76, 9, "1 request: "+sampleID, "tax ids masked")
	r.Press("enter")
	r.hears("Wrote evidence of 1 request to ")
	want := filepath.Join(r.tab.certificates.directory, "evidence-"+sampleID+".csv")
	if len(f.files) != 1 || f.files[0].Path != want || f.files[0].ShowTaxIDs || f.files[0].Replace {
		t.Fatalf("wrote %+v, want %s", f.files, want)
	}
	source := f.files[0].Of[0]
	if source.Retirement.ID != sampleID || !source.ProjectKnown || source.Project.Name != "Bale Mountains" {
		t.Errorf("wrote of %+v", source)
	}
}

func TestEvidenceOfAllShown(t *testing.T) {
	t.Parallel()
	var f evidenceWriter
	r := withEvidence(t, &f)
	r.Press("E")
	r.shows(76, 9, "all shown: 2 requests, 1 left out")
	r.Press("ctrl+t")
	r.shows(60, 9, "tax ids in full")
	r.Press("enter")
	if len(f.files) != 1 || len(f.files[0].Of) != 2 || !f.files[0].ShowTaxIDs {
		t.Errorf("wrote %+v", f.files)
	}
	r.Press("/")
	r.typed("closed")
	r.Press("enter", "E", "enter")
	if len(f.files) != 2 || len(f.files[1].Of) != 1 || f.files[1].Of[0].Retirement.ID != idB {
		t.Errorf("a hidden request is written: %+v", f.files)
	}
}

func TestEvidenceFileIsNamedAfterSearch(t *testing.T) {
	t.Parallel()
	var f evidenceWriter
	r := withEvidence(t, &f)
	for _, search := range []string{"", "customer"} {
		r.Press("esc", "/")
		r.typed(search)
		r.Press("enter")
		r.found(request(retirement.Complete), uitest.Retirement(idB, retirement.Closed))
		r.Press("E", "enter")
	}
	var names []string
	for _, file := range f.files {
		names = append(names, filepath.Base(file.Path))
	}
	if want := []string{"evidence-2026-11-02.zip", "evidence-customer-2026-11-02.zip"}; !slices.Equal(names, want) {
		t.Errorf("wrote %q, want %q", names, want)
	}
}

func TestEvidenceDialogListsProblems(t *testing.T) {
	t.Parallel()
	var f evidenceWriter
	r := withEvidence(t, &f)
	r.Press("e")
	r.shows(76, 12, "⚠ 1 problem:", sampleID+" beneficiary on every item")
	r.Press("tab")
	r.shows(76, 12, "problems:", idA+" is left out: looking up")
	f.written = audit.Written{LeftOut: 1, Failed: []audit.FailedCheck{{Request: "00m1", Check: "certificate_on_file", Detail: "was altered"}, {Request: "00m2", Detail: "not found"}}}
	r.Press("enter")
	r.hears("1 request left out. 1 check failed: 00m1 certificate on file: was altered.")
}

func TestEvidenceDialogFitsItsText(t *testing.T) {
	t.Parallel()
	r := withEvidence(t, new(evidenceWriter))
	check := func(what string) {
		t.Helper()
		lines := strings.Split(r.box(76, 20), "\n")
		blank := 0
		for _, line := range lines {
			if strings.TrimSpace(line) == "" {
				blank++
			}
		}
		if blank != 1 || !strings.Contains(lines[len(lines)-1], "Esc cancels") {
			t.Errorf("%s: %d lines are empty:\n%s", what, blank, strings.Join(lines, "\n"))
		}
	}
	r.Press("e")
	check("a doubt")
	r.Press("tab")
	check("doubts of all")
	r.Press("esc", "k")
	r.Press("e")
	check("of the request above")
}

func TestEvidenceReplacesFileOnlyAfterConfirmation(t *testing.T) {
	t.Parallel()
	f := evidenceWriter{errors: []error{fs.ErrExist}}
	r := withEvidence(t, &f)
	r.Press("e", "enter")
	r.shows(76, 9, "The file already exists. ↵ replaces it")
	r.Press("enter")
	r.hears("Wrote evidence")
	if len(f.files) != 2 || f.files[0].Replace || !f.files[1].Replace {
		t.Errorf("wrote %+v", f.files)
	}
}

func TestEvidenceThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := evidenceWriter{errors: []error{errors.New("permission denied")}}
	r := withEvidence(t, &f)
	r.Press("e")
	r.typed("x")
	r.Press("enter")
	if box := r.box(76, 9); !strings.Contains(box, "must end in .csv, .json or .xlsx") || len(f.files) > 0 {
		t.Errorf("an unknown extension is accepted:\n%s", box)
	}
	r.Press("esc", "e", "enter")
	r.hears("Not written: permission denied.")
	r.Press("k", "k", "e", "j")
	r.Press("esc", "G", "e", "enter")
	r.shows(76, 9, "There is nothing to write: no request has been answered yet.")
}
