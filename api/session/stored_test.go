package session_test

import (
	"context"
	"errors"
	"strings"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model"
	"tonne/model/file/store"
	must "tonne/model/musttest"
)

// sql changes the file of the store while sessions use it.
func (f *fixture) sql(statement string) {
	f.t.Helper()
	conn, err := sqlite.OpenConn(f.path("store.db"), sqlite.OpenReadWrite)
	must.Succeed(f.t, err)
	must.Succeed(f.t, sqlitex.ExecuteTransient(conn, statement, nil), conn.Close())
}

// stored opens the store as another program does, or uses that of the first session if it is in memory.
func (f *fixture) stored(do func(*store.Store) error) {
	f.t.Helper()
	switch {
	case f.disk:
		other := store.Open(f.path("store.db"))
		must.Succeed(f.t, do(other), other.Close())
	case f.host != nil:
		must.Succeed(f.t, do(f.host.options.Store))
	default:
		must.Succeed(f.t, do(f.users[0].options.Store))
	}
}

// expectStored compares parts of what the store has: see storeText.
func (f *fixture) expectStored(lines ...string) {
	f.t.Helper()
	synctest.Wait()
	f.stored(func(o *store.Store) error {
		for _, line := range lines {
			part, _, _ := strings.Cut(line, " ")
			got, err := storeText(f.t.Context(), o, part)
			must.Succeed(f.t, err)
			expectText(f.t, got, line)
		}
		return nil
	})
}

// storeText returns a part of what the store has: prices, with the gaps between them, requests, alerts, values, watched
// or snapshot. PART@ACCOUNT is that of another account.
func storeText(ctx context.Context, o *store.Store, name string) (text string, err error) {
	part, account, named := strings.Cut(name, "@")
	if !named {
		account = origin
	}
	of, w := o.Of(account), &line{}
	w.add(true, "%s", name)
	switch part {
	case "prices":
		err = w.prices(ctx, of.History)
	case "requests":
		var entries []store.LedgerEntry
		entries, err = of.Ledger.Entries(ctx)
		for _, r := range entries {
			w.add(true, "[%s %q %s at %s %s%.4s]", r.ID, r.Label, r.Status, at(r.AnsweredAt), r.Error, r.Certificate.SHA256)
		}
	case "alerts":
		var all []store.Alert
		all, err = of.Alerts.After(ctx, 0)
		w.alerts(all)
	case "values":
		var points []store.ValuePoint
		points, err = of.History.Values(ctx, time.Time{})
		w.values(points)
	case "watched":
		var watched map[model.VintageKey]bool
		watched, err = of.Alerts.Watched(ctx)
		for _, k := range sorted(watched) {
			w.add(true, "%s", k.ProjectID)
		}
	case "snapshot":
		body, when, e := of.Cache.Snapshot(ctx, "market", "k")
		w.add(body != nil, "%d bytes of %s", len(body), at(when))
		err = e
	}
	return w.text.String(), err
}

func (w *line) prices(ctx context.Context, history store.History) error {
	observations, err := history.Prices(ctx, key("P"), time.Time{})
	gaps, other := history.Gaps(ctx, time.Time{})
	for _, o := range observations {
		w.add(true, "%d", o.BestAsk)
	}
	w.gaps(gaps)
	return errors.Join(err, other)
}
