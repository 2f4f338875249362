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
	if err := evidence.Write(r.evidence, r.evidenceSource(r.baseURL, r.showTaxIDs), r.sources(ctx, r.known(ctx))); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	r.note(notice{Code: savedCode, Message: fmt.Sprintf("the evidence is in %s, its manifest in %s", r.evidence, evidence.ManifestPath(r.evidence))})
	return nil
}

// tellSaved says which certificates were saved, or how many. Those that are
// kept for a pack alone are gone when the command ends.
func (r *retirementRun) tellSaved() {
	if r.certificates == "" {
		return
	}
	var saved []string
	for _, a := range r.found {
		if a.certificate != nil {
			saved = append(saved, a.certificate.Path)
		}
	}
	switch len(saved) {
	case 0:
	case 1:
		r.note(notice{Code: savedCode, Message: "the certificate is in " + saved[0]})
	default:
		r.note(notice{Code: savedCode, Message: fmt.Sprintf("%d certificates are in %s", len(saved), r.certificates)})
	}
}
