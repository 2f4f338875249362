package cli

import (
	"context"
	"fmt"
	"os"

	"tonne/ui/cli/evidence"
)

// checkPaths refuses files that could not be written before anything is
// asked of the service.
func (r *retirementRun) checkPaths() error {
	if r.evidence != "" {
		if err := evidence.CheckPath(r.evidence); err != nil {
			return usage("name a file that ends in .csv, .json or .xlsx", "--evidence: %v", err)
		}
		if err := evidence.CheckPlace(r.evidence); err != nil {
			return err
		}
	}
	if r.certificates == "" {
		return nil
	}
	return os.MkdirAll(r.certificates, 0o755)
}

// evidenceSource says where evidence comes from that is written now.
func (a *app) evidenceSource(service string, showTaxIDs bool) evidence.Source {
	return evidence.Source{CreatedAt: a.Now(), Service: service, Version: buildVersion().Version, ShowTaxIDs: showTaxIDs}
}

// writeEvidence writes the evidence of what was found. Evidence of nothing
// would replace what an earlier run may have found.
func (r *retirementRun) writeEvidence(ctx context.Context) error {
	switch {
	case r.evidence == "":
		return nil
	case len(r.found) == 0:
		r.warn("%s was not written: no request was found", r.evidence)
		return nil
	case len(r.failed) > 0:
		r.warn("%s lacks %d of %d requests", r.evidence, len(r.failed), len(r.failed)+len(r.found))
	}
	if err := evidence.Write(r.evidence, r.evidenceSource(r.baseURL, r.showTaxIDs), r.sources(ctx)); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	return nil
}
