package retirement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// EvidenceFile is audit evidence that is to be written.
type EvidenceFile struct {
	// Path ends in .csv, .json or .xlsx, or in .zip for an evidence pack: that
	// has the certificates and the answers of the service, too, for which the
	// requests are looked up again. Where a file is there already and Replace is
	// false, nothing is written and the error is fs.ErrExist.
	Path    string
	Replace bool
	// ShowTaxIDs writes tax ids in full.
	ShowTaxIDs bool
	// Of are the requests that were found, LeftOut those that were not.
	Of, LeftOut []audit.Request
}

// Pack reports whether the file is an evidence pack.
func (f EvidenceFile) Pack() bool { return ending(f.Path) == packEnding }

// Written is what evidence that was written holds.
type Written struct {
	// Requests, Certificates and LeftOut count what is in a file or a pack, and
	// what is not.
	Requests, Certificates, LeftOut int
	// Doubts are what speaks against it.
	Doubts []audit.FailedCheck
}

// packEnding is that of an evidence pack.
const packEnding = ".zip"

// endings are those of the files that evidence can be written to.
var endings = []string{".csv", ".json", ".xlsx", packEnding}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

func (p *evidencePanel) file(file EvidenceFile) effect.Effect {
	write := effect.Work(func(ctx context.Context) any {
		written, err := p.write(ctx, file)
		switch {
		case errors.Is(err, fs.ErrExist):
			return fileTaken{p, file.Path}
		case err != nil:
			return effect.Warn("Not written: " + localfile.Plain(err).Error() + ".")
		case len(written.Doubts) > 0 || written.LeftOut > 0:
			return effect.Warn(written.String(file))
		}
		return effect.Say(written.String(file))
	})
	if file.Pack() {
		return effect.Batch(effect.Say("Looking up "+model.Count(len(file.Of), "request", "requests")+" for the pack …"), write)
	}
	return write
}

// String says what was written to a file, and what is wrong with it.
func (w Written) String(file EvidenceFile) string {
	text := "Wrote evidence of " + model.Count(w.Requests, "request", "requests")
	if file.Pack() {
		text = "Packed " + model.Count(w.Requests, "request", "requests") + " with " + model.Count(w.Certificates, "certificate", "certificates")
	}
	text += " to " + tab.Typed(file.Path) + "."
	if w.LeftOut > 0 {
		text += " " + model.Count(w.LeftOut, "request", "requests") + " left out."
	}
	if failed := failedChecks(w.Doubts); len(failed) > 0 {
		text += fmt.Sprintf(" %s in it: %s.", model.Count(len(failed), "check failed", "checks failed"), doubtText(failed[0]))
	}
	return text
}

// failedChecks are the doubts but for those of requests that were left out.
func failedChecks(doubts []audit.FailedCheck) []audit.FailedCheck {
	return slices.DeleteFunc(slices.Clone(doubts), func(d audit.FailedCheck) bool { return d.Check == "" })
}

func doubtText(d audit.FailedCheck) string {
	if d.Check == "" {
		return d.Request + " is left out: " + d.Detail
	}
	return d.Request + " " + strings.ReplaceAll(d.Check, "_", " ") + ": " + d.Detail
}

type fileTaken struct {
	panel *evidencePanel
	path  string
}

func (r fileTaken) askAgain() effect.Effect {
	r.panel.taken, r.panel.problem = r.path, "A file is there already. ↵ replaces it; or type another name."
	return effect.Show{Panel: r.panel}
}
