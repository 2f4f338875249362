//go:build unix

package retirement

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"codeberg.org/go-pdf/fpdf"
)

// certificatePDF returns pages with a heading and pairs of names and values.
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

// fakePDFToText returns the path of a program that prints the text of certificatePDF.
func fakePDFToText(t *testing.T) string {
	t.Helper()
	const script = `#!/bin/sh
page() { printf 'Certificate of retirement\nBeneficiary   Your Customer Ltd\nQuantity   15,000 t\n\f'; }
page; page
`
	path := filepath.Join(t.TempDir(), "pdftotext")
	// A concurrently forked process would inherit a file that is open for writing, and running
	// the file would then fail.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPreviewShowsPDFText(t *testing.T) {
	t.Parallel()
	r := withPreview(t, certificatePDF(t, 2))
	r.Press("esc")
	r.tab.o.ReadCertificate = reader(fakePDFToText(t))
	r.Press("p")
	r.shows(80, 30, ", 2 pages", "Certificate of retirement", "Beneficiary   Your Customer Ltd", "— page 2 —")
	if small := r.box(60, 6); strings.Contains(small, "page 2 —") || !strings.Contains(small, "j k scroll") {
		t.Errorf("the panel does not scroll:\n%s", small)
	}
	r.Press("G")
	if small := r.box(60, 6); !strings.Contains(small, "Quantity   15,000 t") {
		t.Errorf("the end is not reachable:\n%s", small)
	}
}

func TestPreviewMasksSameTaxIDsAsDetails(t *testing.T) {
	t.Parallel()
	r := withPreview(t, certificatePDF(t, 1))
	program := filepath.Join(t.TempDir(), "pdftotext")
	syscall.ForkLock.RLock()
	err := os.WriteFile(program, []byte("#!/bin/sh\nprintf 'Tax id 123 456\\n789 of the customer\\n'\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	r.Press("esc")
	r.tab.o.ReadCertificate = reader(program)
	r.Press("p")
	if box := r.box(80, 12); !strings.Contains(box, "Tax id •••••6789") || strings.Contains(box, "456") {
		t.Errorf("the preview shows a tax id that the details mask:\n%s", box)
	}
	r.Press("esc", "T", "p")
	r.shows(80, 12, "Tax id 123 456")
}
