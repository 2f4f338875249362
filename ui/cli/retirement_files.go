package cli

import (
	"context"
	"fmt"
	"os"

	"tonne/api/audit"
	"tonne/model/localfile"
	"tonne/ui/cli/output"
)

func (r *retirementRun) checkPaths() error {
	if r.evidencePath == "-" {
		if err := r.streamEvidence(); err != nil {
			return err
		}
	} else if r.evidencePath != "" {
		if err := audit.CheckPath(r.evidencePath); err != nil {
			return usage("name a file that ends in .csv, .json or .xlsx", "--evidence: %v", err)
		}
		if err := audit.CheckPlace(r.evidencePath); err != nil {
			return err
		}
	}
	if r.certificates == "" {
		return nil
	}
	return os.MkdirAll(r.certificates, 0o755)
}

func (r *retirementRun) writeEvidence(ctx context.Context) error {
	name := r.evidencePath
	if r.streamed != "" {
		name = "the evidence"
	}
	switch {
	case r.evidencePath == "":
		return nil
	case !r.anyFound(name):
		return nil
	}
	requests, err := r.filed(ctx)
	if err != nil {
		return err
	}
	r.warnOfFailedChecks(name, requests)
	if r.streamed != "" {
		return r.printEvidence(requests)
	}
	warnReplaced := r.replacing(r.evidencePath)
	if err := audit.Write(r.evidencePath, r.evidenceSource(r.baseURL, r.showTaxIDs), requests); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	warnReplaced()
	r.note(notice{Code: savedCode, Message: fmt.Sprintf("the evidence is in %s, its manifest in %s", r.evidencePath, audit.ManifestPath(r.evidencePath))})
	return nil
}

// replacing is called before a file is written; the function that it returns tells
// if that replaced something else. What was filed may have been signed.
func (a *app) replacing(path string) (tell func()) {
	before, err := localfile.SHA256(path)
	return func() {
		if now, _ := localfile.SHA256(path); err == nil && now != before {
			a.warn("%s held something else before, SHA-256 %s, and was replaced", path, before)
		}
	}
}

func (r *retirementRun) streamEvidence() error {
	if r.format != output.CSV && r.format != output.JSON {
		return usage("add -o csv or -o json, or name a file", "--evidence - writes csv or json alone, not %s", r.format)
	}
	r.streamed, r.format = r.format, ""
	return nil
}

// printEvidence writes the evidence to standard output, and its hash, which a
// manifest would have, to standard error.
func (r *retirementRun) printEvidence(requests []audit.Request) error {
	sum, err := audit.Stream(r.data(), "."+string(r.streamed), r.evidenceSource(r.baseURL, r.showTaxIDs), requests)
	if err != nil {
		return err
	}
	r.note(notice{Code: savedCode, Message: "the evidence has the sha256 " + sum})
	return nil
}

func (r *retirementRun) noteSaved() {
	if r.certificates == "" {
		return
	}
	var saved []string
	for _, a := range r.found() {
		if a.Certificate != nil {
			saved = append(saved, a.Certificate.Path)
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
