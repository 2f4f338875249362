package audit

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"tonne/model/localfile"
)

// File describes an evidence file to write, or a pack if its path ends in PackEnding.
// WriteFile looks up the requests of a pack again.
type File struct {
	Path string
	// Replace allows to replace an existing file. Otherwise the error is fs.ErrExist.
	Replace bool
	// ShowTaxIDs writes tax ids in full.
	ShowTaxIDs bool
	// Of are the requests that were found, LeftOut those that were not found.
	Of, LeftOut []Request
}

// PackEnding is the file name extension of an evidence pack.
const PackEnding = ".zip"

// Pack reports whether the file is an evidence pack.
func (f File) Pack() bool { return ending(f.Path) == PackEnding }

// Written describes a file that was written.
type Written struct {
	Requests, Certificates, LeftOut int
	// Failed are the failed checks of its requests.
	Failed []FailedCheck
}

// ErrNothingFound is returned for a pack of which no request could be looked up.
var ErrNothingFound = errors.New("none of the requests could be looked up")

// WriteFile writes evidence or a pack. It writes nothing if records of this machine cannot
// be read, since evidence must not report them as missing. The error does not name the path.
func (a *Auditor) WriteFile(ctx context.Context, f File) (Written, error) {
	w, err := a.writeFile(ctx, f)
	return w, localfile.Plain(err)
}

func (a *Auditor) writeFile(ctx context.Context, f File) (Written, error) {
	paths := []string{f.Path}
	if !f.Pack() {
		paths = append(paths, ManifestPath(f.Path))
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !f.Replace {
			return Written{}, fs.ErrExist
		}
	}
	if f.Pack() {
		return a.writePack(ctx, f)
	}
	e, err := a.examine(ctx, slices.Concat(f.Of, f.LeftOut))
	if err = cmp.Or(err, e.Records.Problem); err != nil {
		return Written{}, err
	}
	return written(e.Requests), Write(f.Path, a.Source(f.ShowTaxIDs), e.Requests)
}

func written(requests []Request) (w Written) {
	for _, r := range requests {
		w.Failed = append(w.Failed, r.FailedChecks()...)
		if r.LeftOut != "" {
			w.LeftOut++
			continue
		}
		w.Requests++
		if r.Certificate.Path != "" {
			w.Certificates++
		}
	}
	return w
}

func (a *Auditor) writePack(ctx context.Context, f File) (w Written, err error) {
	if err := CheckPlace(f.Path); err != nil {
		return w, err
	}
	dir, err := os.MkdirTemp("", "tonne-pack-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	var ids []string
	for _, r := range slices.Concat(f.Of, f.LeftOut) {
		ids = append(ids, r.Retirement.ID)
	}
	answers, err := a.LookUp(ctx, LookUp{KeepBodies: true, Certificates: dir}, ids)
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(answers, func(a Answer) bool { return a.Err == nil }) {
		return w, ErrNothingFound
	}
	if err := a.Enter(ctx, answers, ""); err != nil && a.Warn != nil {
		a.Warn("cannot write to the ledger", "error", err)
	}
	e, err := a.Examine(ctx, answers)
	if err = cmp.Or(err, e.Records.Problem); err != nil {
		return w, err
	}
	return written(e.packed()), e.Pack(f.Path, f.ShowTaxIDs, nil)
}
