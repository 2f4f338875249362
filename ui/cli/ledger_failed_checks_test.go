package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFailedChecksAreReportedByEveryCommand(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	dir := filepath.Join(w.env["HOME"], "certificates")
	w.must("retirement", "C1", "C2", "C3", "T1", "T2", "--certificates", dir)
	w.write("certificates/C2.pdf", anyPDF+" altered")
	if err := os.Remove(filepath.Join(dir, "C3.pdf")); err != nil {
		t.Fatal(err)
	}
	const altered, deleted, twice = "C2: the file saved at ", "C3: the file saved at ", " ACR 2 to 2 also retired by T"
	for command, want := range map[string][]string{
		"ledger":           {altered, deleted, twice},
		"ledger find C2":   {altered},
		"ledger find C3":   {deleted},
		"ledger find T2":   {twice},
		"ledger find C1":   nil,
		"retirement C2 C3": {altered, deleted},
		"retirement T1":    {twice},
		"retirement C1":    nil,
	} {
		r := w.run(append(strings.Fields(command), "-o", "csv")...)
		for _, fault := range []string{altered, deleted, twice} {
			if reported := strings.Contains(r.stderr, fault); reported != strings.Contains(strings.Join(want, "|"), fault) {
				t.Errorf("%s: %q reported: %v\n%s", command, fault, reported, r.stderr)
			}
		}
	}
}
