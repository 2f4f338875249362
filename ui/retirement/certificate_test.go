package retirement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/uitest"
)

// saveAs plays the feed that has saved a certificate in a directory.
func (r *robot) saveAs(dir string, content []byte) string {
	r.t.Helper()
	path := filepath.Join(dir, sampleID+".pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		r.t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	r.hear(
		feed.CertificateEvent{ID: sampleID, Received: 3, Total: int64(len(content))},
		feed.CertificateEvent{ID: sampleID, Saved: &api.Certificate{
			Path: path, MediaType: "application/pdf", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), FetchedAt: r.now,
		}},
	)
	return path
}

// directory returns the one that the feed was last asked to save in.
func (r *robot) directory() string {
	r.t.Helper()
	last := r.feed.Asked[len(r.feed.Asked)-1]
	rest, ok := strings.CutPrefix(last, "save "+sampleID+" https://registry.example/certificates/"+sampleID+".pdf ")
	if !ok {
		r.t.Fatalf("the feed was last asked to %q", last)
	}
	return rest
}

func withCertificate(t *testing.T, o Options) *robot {
	t.Helper()
	r := newRobot(t, o)
	r.paste(sampleID)
	r.found(request(model.Complete))
	return r
}

func TestACertificateIsSavedWhereThePersonSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := memory(t, "")
	r := withCertificate(t, Options{Store: s})
	r.press("d")
	if r.ask == nil || r.ask.Value == "" {
		t.Fatalf("no directory was offered: %+v", r.ask)
	}
	if problem := r.answer(dir); problem != "" {
		t.Fatal(problem)
	}
	r.hear(feed.CertificateEvent{ID: sampleID, Received: 250, Total: 1000})
	r.sees("downloading: 25 % of 1,000 bytes")
	r.press("d")
	r.hears("under way")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 the certificate"))
	r.hears("Saved " + path)
	r.sees("saved 2 Nov 2026 · sha256 ", " · unchanged", "application/pdf · 24 bytes · ")
	kept, err := s.Ledger(t.Context(), r.tab.o.Origin)
	if err != nil || kept[0].Certificate.Path != path || len(kept[0].Certificate.SHA256) != 64 {
		t.Errorf("the store remembers %+v, %v", kept, err)
	}
	r.paste(idA)
	r.found(uitest.Retirement(idA, model.Complete))
	r.ask = nil
	r.press("d")
	if r.ask != nil || r.asked("save "+idA+" https://registry.example/certificates/"+idA+".pdf "+dir) != 1 {
		t.Error("the directory is asked for again")
	}
}

func TestACertificateThatWasSavedIsVerified(t *testing.T) {
	t.Parallel()
	saved, other := []byte("%PDF-1.3 the certificate"), []byte("%PDF-1.3 another one")
	for name, c := range map[string]struct {
		onDisk, served []byte
		says, sees     string
	}{
		"unchanged":       {saved, saved, "Unchanged: your file and the service's have sha256", "unchanged"},
		"file changed":    {other, saved, "Your file has changed since it was saved. The service still serves what was saved", "the file has changed since"},
		"service changed": {saved, other, "The service now serves another file. Yours is unchanged.", "the service now serves another file"},
		"both changed":    {other, other, "Your file has changed since it was saved, and the service now serves another one too.", "the file has changed since"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withCertificate(t, Options{CertificateDir: t.TempDir()})
			r.press("d")
			path := r.saveAs(r.directory(), saved)
			if err := os.WriteFile(path, c.onDisk, 0o600); err != nil {
				t.Fatal(err)
			}
			r.press("d")
			copied := r.directory()
			if copied == filepath.Dir(path) {
				t.Fatal("the service's file is compared in the place of the one that was saved")
			}
			r.saveAs(copied, c.served)
			r.hears(c.says)
			r.sees(c.sees)
			if _, err := os.Stat(copied); err == nil {
				t.Error("the copy that was compared is still there")
			}
		})
	}
}

func TestACertificateThatIsGoneIsSavedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := withCertificate(t, Options{CertificateDir: dir})
	r.press("d")
	path := r.saveAs(dir, []byte("%PDF-1.3"))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.press("d")
	if r.directory() != dir {
		t.Errorf("saved again in %s, not in %s", r.directory(), dir)
	}
}

func TestADownloadThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.press("d")
	r.hear(feed.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.Refused, Message: "the certificate lies in a private network"}})
	r.hears("The certificate was not saved: the certificate lies in a private network.")
	r.press("d")
	r.saveAs(r.directory(), []byte("%PDF-1.3"))
	r.press("d")
	r.hear(feed.CertificateEvent{ID: sampleID, Err: &api.Error{Kind: api.TimedOut}})
	r.hears("Your file is unchanged. The service's was not compared: the service did not answer in time.")
}

func TestFilesAreProvedByTheirHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "c.pdf")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.pdf")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, largestCertificate+1); err != nil {
		t.Fatal(err)
	}
	const ofA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	for at, want := range map[string]proof{path: unchanged, large: altered, dir: altered, filepath.Join(dir, "absent"): gone} {
		if got := proveFile(at, ofA); got != want {
			t.Errorf("%s: %d, want %d", at, got, want)
		}
	}
}

func TestTheCertificateIsOpenedAndCopiedByItsAddress(t *testing.T) {
	t.Parallel()
	url := "https://registry.example/certificates/" + sampleID + ".pdf"
	r := withCertificate(t, Options{Safe: func(string) (string, error) { return "registry.example", nil }})
	r.press("o", "y")
	if len(r.opened) != 1 || r.opened[0] != url || len(r.copied) != 1 || r.copied[0] != url {
		t.Errorf("opened %q, copied %q", r.opened, r.copied)
	}
	if !strings.Contains(r.frame(140, 32), "\x1b]8;;"+url) {
		t.Error("a safe address is no link")
	}
	if strings.Contains(withCertificate(t, Options{}).frame(140, 32), "\x1b]8;;") {
		t.Error("an address that was not checked is a link")
	}
}

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
			r.panel = newPreview("Certificate", content)
			if box := r.box(size[0], size[1]); !strings.Contains(box, "▀▀▀▀") || !strings.Contains(box, "Esc closes") {
				t.Errorf("no picture in %d×%d:\n%s", size[0], size[1], box)
			}
		}
		r.view.Theme = paint.NewTheme(paint.Mono)
		if box := r.box(60, 20); strings.Contains(box, "▀") || !strings.Contains(box, "░") {
			t.Errorf("without colours the picture has no shades:\n%s", box)
		}
		r.view.Theme = paint.NewTheme(paint.Dark)
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
		r.panel = newPreview("Certificate", []byte(content))
		if box := r.box(90, 12); !strings.Contains(box, want) || !strings.Contains(box, "bytes") {
			t.Errorf("%q is not said:\n%s", want, box)
		}
	}
}

func TestThePreviewOfAFile(t *testing.T) {
	t.Parallel()
	r := withCertificate(t, Options{CertificateDir: t.TempDir()})
	r.press("p")
	r.hears("d downloads it")
	r.press("d")
	path := r.saveAs(r.directory(), []byte("%PDF-1.3 not really"))
	r.press("p")
	if box := r.box(80, 16); !strings.Contains(box, "application/pdf, 19 bytes") {
		t.Errorf("the type and the size are missing:\n%s", box)
	}
	r.press("esc")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.press("p")
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
	r.panel = newPreview("Certificate of Q3 flights", certificatePDF(t, 2))
	box := r.box(80, 30)
	for _, want := range []string{", 2 pages", "Certificate of retirement", "Beneficiary   Your Customer Ltd", "— page 2 —"} {
		if !strings.Contains(box, want) {
			t.Errorf("%q is missing in\n%s", want, box)
		}
	}
	if small := r.box(60, 6); strings.Contains(small, "page 2 —") || !strings.Contains(small, "j k scroll") {
		t.Errorf("it does not scroll:\n%s", small)
	}
	r.press("G")
	if small := r.box(60, 6); !strings.Contains(small, "Quantity   15,000 t") {
		t.Errorf("the end is not reached:\n%s", small)
	}
}
