package retirement

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model/localfile"
	"tonne/model/retirement"
	"tonne/ui/tab"
)

func testPicture() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, 80, 60))
	for y := range 60 {
		for x := range 80 {
			picture.Set(x, y, color.RGBA{uint8(x * 3), uint8(y * 4), 99, 255})
		}
	}
	return picture
}

// reader returns a function that reads certificates with program instead of pdftotext.
func reader(program string) func(context.Context, string) (pdftext.Content, error) {
	return func(ctx context.Context, path string) (c pdftext.Content, err error) {
		file, err := localfile.Open(path, retirement.LargestCertificate)
		if err != nil {
			return c, err
		}
		defer file.Close()
		return pdftext.Reader{PDFToText: program}.Read(ctx, file)
	}
}

// withPreview returns a robot that previews a saved certificate with the content.
func withPreview(t *testing.T, content []byte) *robot {
	t.Helper()
	r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: reader("/nowhere/pdftotext")})
	r.Press("d")
	r.saveAs(r.directory(), content)
	r.Press("p")
	return r
}

func TestPreviewOfPictureOffersFile(t *testing.T) {
	t.Parallel()
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, testPicture()); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, testPicture(), nil); err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{asPNG.Bytes(), asJPEG.Bytes(), []byte(hugePNG)} {
		box := withPreview(t, content).box(90, 12)
		for _, want := range []string{"The certificate is a picture, which has no text to show.", sampleID, "y copies its path", "o opens it in a browser"} {
			if !strings.Contains(box, want) {
				t.Errorf("no %q:\n%s", want, box)
			}
		}
	}
}

// hugePNG claims to have 100,000 × 100,000 pixels.
const hugePNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00\xa8\x52\x0b\xc8"

func TestPreviewOfUnreadableFileGivesReason(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"%PDF-1.7\n1 0 obj <<>>":        "The PDF has no readable text",
		"\x89PNG\r\n\x1a\n\x00\x00":     "The file is neither a PDF nor a",
		"%PDF-1.4\nstartxref\n0\n%%EOF": "The PDF has no readable text",
		"MZ":                            "The file is neither a PDF nor a",
	} {
		r := withPreview(t, []byte(content))
		r.shows(90, 12, want, "bytes", "Esc closes · o opens it in a browser")
	}
}

func TestPreviewShowsTypeAndSize(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: reader("/nowhere/pdftotext")})
	r.Press("p")
	r.hears("d downloads it")
	r.Press("d")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 not really"))
	r.Press("p")
	r.shows(80, 16, "application/pdf, 19 bytes")
	r.Press("esc")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.Press("p")
	r.shows(80, 16, "Not shown: no such file or directory.", "d saves the certificate again")
}

func TestPreviewWithoutPDFReaderOffersFile(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := withPreview(t, []byte("%PDF-1.7"))
	r.Press("esc")
	r.tab.o.ReadCertificate = audit.ReadCertificate
	r.Press("p")
	r.shows(90, 12,
		"Esc closes · o opens it in a browser", "Cannot show the text of a PDF: poppler's pdftotext is not installed.",
		"Install it, or open the file with a PDF viewer:", sampleID, "y copies its path",
	)
	r.Press("y")
	if got := r.Copied; len(got) != 1 || !strings.HasPrefix(got[0], "/") || !strings.Contains(got[0], sampleID) {
		t.Errorf("y copied %q", got)
	}
	r.Press("o")
	if r.Panel != nil || len(r.Opened) != 1 || !strings.HasSuffix(r.Opened[0], sampleID+".pdf") {
		t.Errorf("o opened %q", r.Opened)
	}
}

func TestClosedPreviewIsNotRead(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(r *robot){
		"panel closed":        func(r *robot) { r.Press("esc") },
		"opened in a browser": func(r *robot) { r.Press("o") },
		"tab left":            func(r *robot) { r.tab.Handle(tab.Hidden{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withPreview(t, []byte("\x89PNG\r\n\x1a\n"))
			r.Press("esc")
			read := r.CarryOut(r.tab.preview(selected(r.tab)))
			p := r.Panel
			leave(r)
			r.Panel = p
			r.Run(read)
			r.shows(80, 12, "Reading the certificate")
		})
	}
}

func TestSecondPreviewCancelsFirst(t *testing.T) {
	t.Parallel()
	r := withPreview(t, []byte("\x89PNG\r\n\x1a\n"))
	first := r.CarryOut(r.tab.preview(selected(r.tab)))
	old := r.Panel
	second := r.CarryOut(r.tab.preview(selected(r.tab)))
	current := r.Panel
	r.Run(first)
	r.Run(second)
	if box := r.box(80, 12); r.Panel != current || !strings.Contains(box, "The file is neither a PDF nor a") {
		t.Errorf("the second preview shows\n%s", box)
	}
	r.Panel = old
	r.shows(80, 12, "Reading the certificate")
}

func TestPreviewWarnsOfModifiedFile(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, testPicture()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(path string) error
		status session.FileStatus
		want   string
	}{
		{"unchanged", func(string) error { return nil }, session.Unchanged, ""},
		{"altered", func(path string) error { return os.WriteFile(path, append(picture.Bytes(), '\n'), 0o600) }, session.Altered, "✗ the file was modified"},
		{"gone", os.Remove, session.Gone, "✗ the file was deleted"},
		{"superseded", func(string) error { return nil }, session.Superseded, "⚠ the service now serves another file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: audit.ReadCertificate})
			r.Press("d")
			path := r.saveAs(r.directory(), picture.Bytes())
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			r.feed.Change(sampleID, func(q *session.Request) { q.FileStatus = c.status })
			r.listen()
			r.feed.Proved = nil
			r.Press("p")
			box := r.box(100, 20)
			first, _, _ := strings.Cut(box, "\n")
			if c.want == "" && strings.ContainsAny(box, "✗⚠") || !strings.HasPrefix(first, c.want) {
				t.Errorf("the panel does not start with %q:\n%s", c.want, box)
			}
			if c.name == "gone" && !strings.Contains(box, "The file: ") {
				t.Errorf("the path of the deleted file is missing:\n%s", box)
			}
			if len(r.feed.Proved) != 1 {
				t.Errorf("the file was not checked: %q", r.feed.Proved)
			}
		})
	}
}
