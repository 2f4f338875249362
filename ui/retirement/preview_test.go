package retirement

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/model/file/localfile"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/effect"
)

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

// previewing returns a robot that previews a saved certificate with the content.
func previewing(t testing.TB, content string) *robot {
	t.Helper()
	r := withCertificate(t, Options{CertificateDir: t.TempDir(), ReadCertificate: reader("/nowhere/pdftotext")})
	r.downloads(content)
	r.Press("p")
	return r
}

func TestPreviewWithoutPDFReaderOffersFile(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := previewing(t, "%PDF-1.7")
	r.Press("esc")
	r.tab.o.ReadCertificate = audit.ReadCertificate
	r.Press("p")
	r.shows(90, 12,
		"Esc closes · o opens it in a browser", "Cannot show the text of a PDF: poppler's pdftotext is not installed.",
		"Install it, or open the file with a PDF viewer:", sampleID, "y copies its path",
	)
	r.Press("y")
	got := r.Copied
	must.Hold(t, len(got) == 1 && strings.HasPrefix(got[0], "/") && strings.Contains(got[0], sampleID), "y copied", got)
	r.Press("o")
	must.Hold(t, r.Panel == nil && len(r.Opened) == 1 && strings.HasSuffix(r.Opened[0], sampleID+".pdf"),
		"o opened", r.Opened)
}

func TestClosedPreviewIsNotRead(t *testing.T) {
	t.Parallel()
	// begins opens a preview and returns its panel and the reading.
	begins := func(r *robot) (effect.Panel, effect.Effect) {
		read := r.CarryOut(r.tab.preview(selected(r.tab)))
		return r.Panel, read
	}
	for name, leave := range map[string]func(r *robot){
		"panel closed":        func(r *robot) { r.Press("esc") },
		"opened in a browser": func(r *robot) { r.Press("o") },
		"tab left":            (*robot).Hidden,
		"another preview": func(r *robot) {
			r.Run(r.tab.preview(selected(r.tab)))
			r.Sees("The file is neither a PDF nor a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := previewing(t, "\x89PNG\r\n\x1a\n")
			r.Press("esc")
			panel, read := begins(r)
			leave(r)
			r.Panel = panel
			r.Run(read)
			r.shows(80, 12, "Reading the certificate")
		})
	}
}

func TestPreviewShowsPDFText(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the test needs a shell script")
	}
	const script = `#!/bin/sh
page() { printf 'Certificate of retirement\nTax id 123 456\n789 of the customer\nQuantity   15,000 t\n\f'; }
page; page
`
	program := filepath.Join(t.TempDir(), "pdftotext")
	// A concurrently forked process would inherit a file that is open for writing, and running
	// the file would then fail.
	syscall.ForkLock.RLock()
	err := os.WriteFile(program, []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	must.Succeed(t, err)
	r := previewing(t, "%PDF-1.7")
	r.Press("esc")
	r.tab.o.ReadCertificate = reader(program)
	r.Press("p")
	r.shows(80, 30, ", 2 pages", "Certificate of retirement", "Tax id •••••6789", "— page 2 —")
	box := r.box(80, 30)
	must.Hold(t, !strings.Contains(box, "456"), "the preview shows a tax id that the details mask", box)
	small := r.box(60, 6)
	must.Hold(t, !strings.Contains(small, "page 2 —") && strings.Contains(small, "j k scroll"),
		"the panel does not scroll", small)
	r.Press("G")
	r.shows(60, 6, "Quantity   15,000 t")
	r.Press("esc", "T", "p")
	r.shows(80, 30, "Tax id 123 456")
}

func TestTaxIDsAreMaskedInAnyFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id         string
		page, want []string
	}{
		{"GB 123 456 789", []string{"Tax id: GB 123 456 789."}, []string{"Tax id: ••••• 789."}},
		{"GB 123 456 789", []string{"(gb123456789)"}, []string{"(••••• 789)"}},
		{"123456789", []string{"VAT123456789, 123-456-789"}, []string{"VAT•••••6789, •••••6789"}},
		{"123456789", []string{"for 123 456", "789 only"}, []string{"for •••••6789", " only"}},
		{"123456789", []string{"12345678 and 1234 56789"}, []string{"12345678 and •••••6789"}},
		{"17", []string{"17 of 1,170 t, 2017"}, []string{"••••• of 1,170 t, 2017"}},
		{"", []string{"nobody's"}, []string{"nobody's"}},
	} {
		must.Equal(t, maskLines(test.page, []string{test.id}), test.want, test.id, test.page)
	}
}

func TestMaskedPageHasNoTaxID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Z]{0,2}[0-9]{8,12}`).Draw(t, "id")
		gap := rapid.SampledFrom([]string{"", " ", "-", " - ", "\n"})
		var written strings.Builder
		for _, r := range id {
			written.WriteString(string(r) + gap.Draw(t, "gap"))
		}
		text := rapid.StringMatching(`[a-z ]{0,20}`).Draw(t, "before") + " " + written.String() +
			rapid.StringMatching(`[a-z \n]{0,20}`).Draw(t, "after")
		lines := strings.Split(text, "\n")
		masked := maskLines(lines, []string{id})
		must.Equal(t, len(masked), len(lines))
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, strings.Join(masked, ""))
		must.Hold(t, !strings.Contains(strings.ToUpper(letters), id), id, masked)
	})
}
