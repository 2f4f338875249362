package cli

import (
	"io/fs"
	"os"

	"tonne/ui/cli/evidence"
	"tonne/ui/retirement"
)

// evidenceWriter returns what writes the dashboard's audit evidence of
// retirements on a service.
func (d *dashboardRun) evidenceWriter(service string) func(retirement.EvidenceFile) error {
	return func(f retirement.EvidenceFile) error {
		if !f.Replace {
			for _, path := range []string{f.Path, evidence.ManifestPath(f.Path)} {
				if _, err := os.Lstat(path); err == nil {
					return fs.ErrExist
				}
			}
		}
		return evidence.Write(f.Path, d.evidenceSource(service, f.ShowTaxIDs), f.Of)
	}
}
