package marketplace

import (
	"errors"
	"net/http"

	"tonne/api/marketplace/exchange"
)

var errDraining = errors.New("the service is ending")

// getReady answers 503, and says why, while a purchase would fail: the service
// drains, or its database cannot be read or written.
func (m *Marketplace) getReady(w http.ResponseWriter, r *http.Request) {
	err := errDraining
	if !m.draining.Load() {
		err = m.db.Ready(r.Context())
	}
	if err == nil {
		respond(w, r, http.StatusOK, []byte(`{"status":"ready"}`))
		return
	}
	why := "the database does not answer"
	for _, known := range []error{errDraining, exchange.ErrReplaced, exchange.ErrReadOnly, exchange.ErrFull, exchange.ErrLocked, exchange.ErrUnreachable} {
		if errors.Is(err, known) {
			why = known.Error()
		}
	}
	if !errors.Is(err, errDraining) {
		noteFailure(w, err)
	}
	m.respondError(w, r, named(http.StatusServiceUnavailable, "Not ready: "+why))
}
