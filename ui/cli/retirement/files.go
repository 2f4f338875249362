package retirement

import (
	"context"
	"fmt"
	"os"

	"tonne/api/audit"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/output"
)

func (r *RetirementRun) checkPaths() error {
	if r.EvidencePath == "-" {
		if err := r.streamEvidence(); err != nil {
			return err
		}
	} else if r.EvidencePath != "" {
		if err := audit.CheckPath(r.EvidencePath); err != nil {
			return command.Usage("name a file that ends in .csv, .json or .xlsx", "--evidence: %v", err)
		}
		if err := audit.CheckPlace(r.EvidencePath); err != nil {
			return err
		}
	}
	if r.Certificates == "" {
		return nil
	}
	return os.MkdirAll(r.Certificates, 0o755)
}

func (r *RetirementRun) WriteEvidence(ctx context.Context) error {
	name := r.EvidencePath
	if r.streamed != "" {
		name = "the evidence"
	}
	switch {
	case r.EvidencePath == "":
		return nil
	case !r.AnyFound(name):
		return nil
	}
	requests, err := r.Filed(ctx)
	if err != nil {
		return err
	}
	r.WarnOfFailedChecks(name, requests)
	if r.streamed != "" {
		return r.printEvidence(requests)
	}
	warnReplaced := filing.Replacing(r.EvidenceRun.App, r.EvidencePath)
	if err := audit.Write(r.EvidencePath, filing.EvidenceSource(r.EvidenceRun.App, r.BaseURL, r.ShowTaxIDs), requests); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	warnReplaced()
	r.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("the evidence is in %s, its manifest in %s", r.EvidencePath, audit.ManifestPath(r.EvidencePath))})
	return nil
}

func (r *RetirementRun) streamEvidence() error {
	if r.Format != output.CSV && r.Format != output.JSON {
		return command.Usage("add -o csv or -o json, or name a file", "--evidence - writes csv or json alone, not %s", r.Format)
	}
	r.streamed, r.Format = r.Format, ""
	return nil
}

// printEvidence writes the evidence to standard output, and its hash, which a
// manifest would have, to standard error.
func (r *RetirementRun) printEvidence(requests []audit.Request) error {
	sum, err := audit.Stream(r.Data(), "."+string(r.streamed), filing.EvidenceSource(r.EvidenceRun.App, r.BaseURL, r.ShowTaxIDs), requests)
	if err != nil {
		return err
	}
	r.Note(command.Notice{Code: command.SavedCode, Message: "the evidence has the sha256 " + sum})
	return nil
}

func (r *RetirementRun) noteSaved() {
	if r.Certificates == "" {
		return
	}
	var saved []string
	for _, a := range r.Found() {
		if a.Certificate != nil {
			saved = append(saved, a.Certificate.Path)
		}
	}
	switch len(saved) {
	case 0:
	case 1:
		r.Note(command.Notice{Code: command.SavedCode, Message: "the certificate is in " + saved[0]})
	default:
		r.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("%d certificates are in %s", len(saved), r.Certificates)})
	}
}
