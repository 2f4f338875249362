package retirement

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"tonne/model"
	"tonne/ui/uitest"
)

// filing notes what evidence was to be written, and fails once for each error.
type filing struct {
	files  []EvidenceFile
	errors []error
}

func (f *filing) write(file EvidenceFile) error {
	f.files = append(f.files, file)
	if len(f.errors) == 0 {
		return nil
	}
	err := f.errors[0]
	f.errors = f.errors[1:]
	return err
}

func withEvidence(t *testing.T, f *filing) *robot {
	t.Helper()
	r := newRobot(t, Options{WriteEvidence: f.write, CertificateDir: t.TempDir()})
	r.paste(idB + " " + sampleID + " " + idA)
	r.found(request(model.Complete), uitest.Retirement(idB, model.Closed))
	r.Press("j")
	return r
}

func TestEvidenceOfOneRequest(t *testing.T) {
	t.Parallel()
	var f filing
	r := withEvidence(t, &f)
	r.Press("e")
	if box := r.box(76, 9); !strings.Contains(box, "of "+sampleID) || !strings.Contains(box, "tax ids masked") {
		t.Errorf("the box does not say what is written:\n%s", box)
	}
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

func TestEvidenceOfAllThatAreShown(t *testing.T) {
	t.Parallel()
	var f filing
	r := withEvidence(t, &f)
	r.Press("E")
	if box := r.box(76, 9); !strings.Contains(box, "of all that are shown: 2 requests, 1 left out") {
		t.Errorf("the box does not say what is written:\n%s", box)
	}
	r.Press("ctrl+t")
	if box := r.box(60, 9); !strings.Contains(box, "tax ids in full") {
		t.Errorf("tax ids stay masked:\n%s", box)
	}
	r.Press("enter")
	if len(f.files) != 1 || len(f.files[0].Of) != 2 || !f.files[0].ShowTaxIDs {
		t.Errorf("wrote %+v", f.files)
	}
	r.Press("/")
	r.typed("closed")
	r.Press("enter", "E", "enter")
	if len(f.files) != 2 || len(f.files[1].Of) != 1 || f.files[1].Of[0].Retirement.ID != idB {
		t.Errorf("what is not shown is written: %+v", f.files)
	}
}

func TestEvidenceReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	f := filing{errors: []error{fs.ErrExist}}
	r := withEvidence(t, &f)
	r.Press("e", "enter")
	if box := r.box(76, 9); !strings.Contains(box, "A file is there already. ↵ replaces it") {
		t.Errorf("it is not said that a file is there:\n%s", box)
	}
	r.Press("enter")
	r.hears("Wrote evidence")
	if len(f.files) != 2 || f.files[0].Replace || !f.files[1].Replace {
		t.Errorf("wrote %+v", f.files)
	}
}

func TestEvidenceThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := filing{errors: []error{&fs.PathError{Op: "open", Path: "/x", Err: errors.New("permission denied")}}}
	r := withEvidence(t, &f)
	r.Press("e")
	r.typed("x")
	r.Press("enter")
	if box := r.box(76, 9); !strings.Contains(box, "must end in .csv, .json or .xlsx") || len(f.files) > 0 {
		t.Errorf("another ending is taken:\n%s", box)
	}
	r.Press("esc", "e", "enter")
	r.hears("Not written: permission denied.")
	r.Press("k", "k", "e", "j")
	r.Press("esc", "G", "e", "enter")
	if box := r.box(76, 9); !strings.Contains(box, "There is no answer yet to write evidence of.") {
		t.Errorf("what has no answer is written:\n%s", box)
	}
}
