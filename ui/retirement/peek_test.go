package retirement

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"tonne/ui/paint"
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

func TestPicturesAreShownInHalfBlocks(t *testing.T) {
	t.Parallel()
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, testPicture()); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, testPicture(), nil); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	for _, content := range [][]byte{asPNG.Bytes(), asJPEG.Bytes()} {
		for _, size := range [][2]int{{56, 9}, {76, 18}, {150, 40}} {
			r.Panel = newPreview("Certificate", content)
			if box := r.box(size[0], size[1]); !strings.Contains(box, "▀▀▀▀") || !strings.Contains(box, "Esc closes") {
				t.Errorf("no picture in %d×%d:\n%s", size[0], size[1], box)
			}
		}
		r.View.Theme = paint.NewTheme(paint.Mono)
		if box := r.box(60, 20); strings.Contains(box, "▀") || !strings.Contains(box, "░") {
			t.Errorf("without colours the picture has no shades:\n%s", box)
		}
		r.View.Theme = paint.NewTheme(paint.Dark)
	}
}

// hugePNG claims to have 100,000 × 100,000 pixels.
const hugePNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00\xa8\x52\x0b\xc8"

func TestWhatCannotBeShownIsSaid(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"%PDF-1.7\n1 0 obj <<>>":        "The PDF cannot be read here",
		"\x89PNG\r\n\x1a\n\x00\x00":     "The picture cannot be read.",
		hugePNG:                         "too large to be shown here",
		"%PDF-1.4\nstartxref\n0\n%%EOF": "The PDF cannot be read here",
	} {
		r := newRobot(t, Options{})
		r.Panel = newPreview("Certificate", []byte(content))
		if box := r.box(90, 12); !strings.Contains(box, want) || !strings.Contains(box, "bytes") {
			t.Errorf("%q is not said:\n%s", want, box)
		}
	}
}

func TestThePreviewOfAFile(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.Press("p")
	r.hears("d downloads it")
	r.Press("d")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 not really"))
	r.Press("p")
	if box := r.box(80, 16); !strings.Contains(box, "application/pdf, 19 bytes") {
		t.Errorf("the type and the size are missing:\n%s", box)
	}
	r.Press("esc")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.Press("p")
	r.hears("Not shown: no such file or directory.")
}

// certificatePDF is a page with a heading and names beside their values.
func certificatePDF(t *testing.T, pages int) []byte {
	t.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	for range pages {
		p.AddPage()
		p.SetFont("Helvetica", "", 20)
		p.CellFormat(0, 12, "Certificate of retirement", "", 1, "L", false, 0, "")
		p.SetFontSize(10)
		for _, fact := range [][2]string{{"Beneficiary", "Your Customer Ltd"}, {"Quantity", "15,000 t"}} {
			p.CellFormat(40, 6, fact[0], "", 0, "L", false, 0, "")
			p.CellFormat(0, 6, fact[1], "", 1, "L", false, 0, "")
		}
	}
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestThePDFsTextIsShown(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Panel = newPreview("Certificate of Q3 flights", certificatePDF(t, 2))
	box := r.box(80, 30)
	for _, want := range []string{", 2 pages", "Certificate of retirement", "Beneficiary   Your Customer Ltd", "— page 2 —"} {
		if !strings.Contains(box, want) {
			t.Errorf("%q is missing in\n%s", want, box)
		}
	}
	if small := r.box(60, 6); strings.Contains(small, "page 2 —") || !strings.Contains(small, "j k scroll") {
		t.Errorf("it does not scroll:\n%s", small)
	}
	r.Press("G")
	if small := r.box(60, 6); !strings.Contains(small, "Quantity   15,000 t") {
		t.Errorf("the end is not reached:\n%s", small)
	}
}
