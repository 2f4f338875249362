package cli

import (
	"context"
	"io/fs"
	"os"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/evidence"
	"tonne/ui/retirement"
)

// evidenceWriter returns what writes the dashboard's audit evidence of
// retirements on a service, with what this machine knows of them.
func (d *dashboardRun) evidenceWriter(ctx context.Context, local *store.Store, service string) func(retirement.EvidenceFile) error {
	return func(f retirement.EvidenceFile) error {
		if !f.Replace {
			for _, path := range []string{f.Path, evidence.ManifestPath(f.Path)} {
				if _, err := os.Lstat(path); err == nil {
					return fs.ErrExist
				}
			}
		}
		return evidence.Write(f.Path, d.evidenceSource(service, f.ShowTaxIDs), d.withFindings(ctx, local, service, f.Of))
	}
}

// withFindings adds the checks that the ledger allows to the sources of
// evidence.
func (d *dashboardRun) withFindings(ctx context.Context, local *store.Store, service string, sources []model.EvidenceSource) []model.EvidenceSource {
	var answers []model.Retirement
	for _, s := range sources {
		answers = append(answers, s.Retirement)
	}
	known := d.newFindings(ctx, local, service, answers)
	found := make([]model.EvidenceSource, len(sources))
	for i, s := range sources {
		known.addTo(ctx, &s, fetched{})
		found[i] = s
	}
	return found
}
