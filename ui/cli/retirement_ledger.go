package cli

import (
	"context"
	"os"
	"path/filepath"

	"tonne/model/atomicfile"
	"tonne/model/store"
)

// enterLedger enters the requests that were found in the ledger of this
// machine, with the certificates that were saved. Of several the ledger keeps
// the first, and when it was fetched: that the service serves another now is a
// doubt to keep. A ledger that cannot be written does not stop the command.
func (r *retirementRun) enterLedger(ctx context.Context) {
	if len(r.found) == 0 {
		return
	}
	local, origin, at := r.details.store, r.baseURL, r.Now()
	var ids []string
	var lookUps []store.LookUp
	for _, a := range r.found {
		ids = append(ids, a.id)
		lookUps = append(lookUps, store.LookUp{ID: a.id, At: at, Answer: &a.retirement})
	}
	err := local.Remember(ctx, origin, at, ids...)
	if err == nil {
		err = local.Record(ctx, origin, lookUps...)
	}
	if err == nil {
		err = r.enterCertificates(ctx, local, origin)
	}
	if err != nil {
		r.warn("the ledger of this machine was not written: %v", err)
	}
}

// enterCertificates enters those that were saved. Of one that was fetched for a
// pack alone, where there is none yet, a copy is kept: what is filed is on this
// machine, wherever the pack goes.
func (r *retirementRun) enterCertificates(ctx context.Context, local *store.Store, origin string) error {
	entries, err := local.Ledger(ctx, origin)
	if err != nil {
		return err
	}
	kept := make(map[string]store.Certificate)
	for _, e := range entries {
		kept[e.ID] = e.Certificate
	}
	for _, a := range r.found {
		before := kept[a.id]
		if a.certificate == nil || before.Path != "" && (r.certificates == "" || before.SHA256 != a.certificate.SHA256) {
			continue
		}
		saved := store.Certificate(*a.certificate)
		if before.Path != "" {
			saved.FetchedAt = before.FetchedAt
		}
		if saved.Path, err = r.placeOf(saved); err != nil {
			return err
		}
		if err := local.SetCertificate(ctx, origin, a.id, saved); err != nil {
			return err
		}
		if r.pack.kept != nil {
			r.pack.kept(a.id, saved)
		}
	}
	return nil
}

// placeOf is where a certificate stays: where the person had it saved, or among
// the files of tonne. Two marketplaces may have requests of one id.
func (r *retirementRun) placeOf(c store.Certificate) (string, error) {
	if r.certificates != "" {
		return filepath.Abs(c.Path)
	}
	content, err := os.ReadFile(c.Path)
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.certificatesDir(), c.SHA256[:16], filepath.Base(c.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, atomicfile.WriteFile(path, content, 0o600)
}
