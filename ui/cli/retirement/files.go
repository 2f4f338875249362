package retirement

import (
	"context"
	"fmt"
	"os"

	"tonne/api/audit"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/output"
)

func (r *run) checkPaths() error {
	switch {
	case r.evidencePath == "":
	case r.evidencePath != "-":
		if err := audit.CheckPath(r.evidencePath); err != nil {
			return command.Usage("name a file that ends in .csv, .json or .xlsx", "--evidence: %v", err)
		}
		if err := audit.CheckPlace(r.evidencePath); err != nil {
			return err
		}
	case r.format != output.CSV && r.format != output.JSON:
		return command.Usage("add -o csv or -o json, or name a file", "--evidence - writes only csv or json, not %s", r.format)
	default:
		r.streamed, r.format = r.format, ""
	}
	if r.Certificates == "" {
		return nil
	}
	return os.MkdirAll(r.Certificates, 0o755)
}

func (r *run) writeEvidence(ctx context.Context) error {
	name := r.evidencePath
	if r.streamed != "" {
		name = "the evidence"
	}
	if r.evidencePath == "" || !r.AnyFound(name) {
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
	warnReplaced := filing.Replacing(r.EvidenceRun.App, r.evidencePath)
	if err := audit.Write(r.evidencePath, r.Source(), requests); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	warnReplaced()
	r.App.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("evidence saved as %s, manifest as %s", r.evidencePath, audit.ManifestPath(r.evidencePath))})
	return nil
}

// printEvidence writes the evidence to standard output, and its hash, otherwise part of
// the manifest, to standard error.
func (r *run) printEvidence(requests []audit.Request) error {
	sum, err := audit.Stream(r.App.Data(), "."+string(r.streamed), r.Source(), requests)
	if err != nil {
		return err
	}
	r.App.Note(command.Notice{Code: command.SavedCode, Message: "the SHA-256 of the evidence is " + sum})
	return nil
}

func (r *run) noteSaved() {
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
		r.App.Note(command.Notice{Code: command.SavedCode, Message: "certificate saved as " + saved[0]})
	default:
		r.App.Note(command.Notice{Code: command.SavedCode, Message: fmt.Sprintf("%d certificates saved in %s", len(saved), r.Certificates)})
	}
}
