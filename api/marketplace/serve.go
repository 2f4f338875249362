package marketplace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"tonne/api/marketplace/exchange"
)

const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeader         = 16 << 10
	// headerSlack is what net/http reads in addition to MaxHeaderBytes.
	headerSlack  = 4 << 10
	drainTimeout = 10 * time.Second
)

// Serve answers requests on the listener until ctx ends. Then it waits at most ten seconds
// for requests in flight and returns nil. It closes the listener. From its start on, the
// service ignores a clock that jumps forward by more than a month.
func (m *Marketplace) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           m.Handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader - headerSlack,
		ErrorLog:          slog.NewLogLogger(m.log.Handler(), slog.LevelWarn),
	}
	m.clock.watch()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	months := make(chan struct{})
	go func() {
		defer close(months)
		m.closeEndedMonths(ctx)
	}()
	drained := make(chan error, 1)
	context.AfterFunc(ctx, func() { drained <- m.drain(server) })

	err := server.Serve(unparsedListener{l, m})
	cancel()
	<-months
	if drainErr := <-drained; errors.Is(err, http.ErrServerClosed) {
		err = drainErr
	}
	if err != nil {
		return fmt.Errorf("serve the marketplace: %w", err)
	}
	return nil
}

func (m *Marketplace) drain(server *http.Server) error {
	m.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		m.log.Warn("aborted requests that were still in flight after draining")
		return server.Close()
	}
	return err
}

var errDraining = errors.New("the service is shutting down")

// getReady answers 503 with the cause while a purchase would fail: the service is draining,
// or its database cannot be read or written.
func (m *Marketplace) getReady(w http.ResponseWriter, r *http.Request) {
	err := errDraining
	if !m.draining.Load() {
		err = m.db.Ready(r.Context())
	}
	if err == nil {
		respond(w, r, http.StatusOK, []byte(`{"status":"ready"}`))
		return
	}
	why := "the database does not respond"
	for _, known := range []error{errDraining, exchange.ErrReplaced, exchange.ErrReadOnly, exchange.ErrFull,
		exchange.ErrLocked, exchange.ErrUnreachable} {
		if errors.Is(err, known) {
			why = known.Error()
		}
	}
	if !errors.Is(err, errDraining) {
		recording(w).err = err
	}
	m.respondError(w, r, named(http.StatusServiceUnavailable, "Not ready: "+why))
}
