package cli

import (
	"context"
	"path/filepath"

	"tonne/model/store"
)

// enterLedger enters the requests that were found in the ledger of this
// machine, with the certificates that were saved. A ledger that cannot be
// written does not stop the command.
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
	for _, a := range r.found {
		if a.certificate == nil || r.certificates == "" || err != nil {
			continue
		}
		saved := store.Certificate(*a.certificate)
		if saved.Path, err = filepath.Abs(saved.Path); err == nil {
			err = local.SetCertificate(ctx, origin, a.id, saved)
		}
	}
	if err != nil {
		r.log().Warn("the ledger was not written", "error", err)
	}
}
