package session_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	must "tonne/model/musttest"
)

// with is what a session is started with.
type with struct {
	record, ledger, portfolio, journal bool
	// store is the name of the file, key the mark of the key, and every the interval between polls.
	store, key, account string
	every               time.Duration
}

// user is a session that runs, and its reader.
type user struct {
	*session.Session
	f       *fixture
	options session.Options
	cancel  context.CancelFunc
	ended   chan error
	// requests are those of the ledger as they were last, also if they were removed.
	requests map[string]*session.Request
	// sent are the events that were received, with their texts then: no event ever changes.
	sent  []session.Event
	texts []string
	// over is why there are no more events.
	over error
}

func (f *fixture) newUser(o with) *user {
	options := session.Options{Origin: origin, Now: f.now, Portfolio: o.portfolio, KeyMark: o.key, Account: o.account,
		MarketEvery: o.every, InventoryEvery: o.every}
	if o.journal {
		options.Journal = f.Journal
	}
	path := ""
	if f.disk && o.store == "" {
		path = f.path("store.db")
	} else if f.disk {
		path = f.path(o.store)
	}
	options.Store = store.Open(path)
	return &user{f: f, options: options, requests: make(map[string]*session.Request)}
}

func (u *user) run(run func(context.Context) error) {
	ctx, cancel := context.WithCancel(u.f.t.Context())
	u.cancel, u.ended = cancel, make(chan error, 1)
	go func() { u.ended <- run(ctx) }()
}

func (f *fixture) start(o with) *user {
	u := f.newUser(o)
	f.users = append(f.users, u)
	u.Session = session.New(f, u.options)
	u.run(u.Run)
	if o.record {
		u.Record()
	}
	if o.ledger {
		u.OpenLedger()
	}
	return u
}

// desk starts a session that users share.
func (f *fixture) desk(o with) {
	f.host = f.newUser(o)
	f.host.options.Trouble = func(err error) { f.trouble = append(f.trouble, kindOf(err)) }
	f.shared = session.NewShared(f, f.host.options)
	f.host.run(f.shared.Run)
}

// sit makes a user join the desk.
func (f *fixture) sit(name string) *user {
	u := f.newUser(with{store: name})
	f.users = append(f.users, u)
	u.Session = f.shared.Join(name, name, u.options.Store)
	u.run(u.Run)
	u.Record()
	u.OpenLedger()
	u.ShowInventory(api.InventoryQuery{Page: 1})
	return u
}

// end ends the session, which must succeed immediately.
func (u *user) end() {
	u.f.t.Helper()
	took, err := u.stop()
	must.Succeed(u.f.t, err)
	must.Hold(u.f.t, took < time.Second, "it ended after", took)
}

// stop ends the session and returns how long that took, and its error.
func (u *user) stop() (took time.Duration, err error) {
	u.f.t.Helper()
	if u.cancel == nil {
		return 0, nil
	}
	began := time.Now()
	u.cancel()
	err = <-u.ended
	took = time.Since(began)
	if took >= time.Second {
		// The lock of the store ends.
		wait(time.Minute)
	}
	for i, e := range u.sent {
		now := eventText(e)
		must.Hold(u.f.t, now == u.texts[i], "an event that was sent has changed from", u.texts[i], now)
	}
	must.Succeed(u.f.t, u.options.Store.Close())
	u.cancel = nil
	return took, err
}

// read returns the texts of the pending events.
func (u *user) read() (texts []string) {
	u.f.t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(u.f.t.Context())
	cancel()
	events, err := u.Next(ctx)
	if !errors.Is(err, context.Canceled) {
		u.over = err
	}
	for _, e := range events {
		text := eventText(e)
		texts, u.sent, u.texts = append(texts, text), append(u.sent, e), append(u.texts, text)
		if l, ok := e.(session.LedgerEvent); ok {
			u.readLedger(l)
		}
	}
	return texts
}

// readLedger expects that an equal answer does not replace the one before.
func (u *user) readLedger(e session.LedgerEvent) {
	for _, r := range e.Requests {
		was := u.requests[r.ID]
		must.Hold(u.f.t, was == nil || was.Answer == r.Answer || !r.AnsweredAt.After(was.AnsweredAt) ||
			!reflect.DeepEqual(was.Answer, r.Answer), "the equal answer for", r.ID)
		u.requests[r.ID] = r
	}
}

// expectOnly reads the pending events and compares all of them: see eventText.
func (u *user) expectOnly(lines ...string) {
	u.f.t.Helper()
	got := u.read()
	expectLines(u.f.t, got, lines)
}

// expect reads the pending events and compares those of the kinds that the lines begin with. "no KIND" expects none
// of that kind.
func (u *user) expect(lines ...string) {
	u.f.t.Helper()
	var kinds, want, got []string
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "no" {
			kinds = append(kinds, rest)
			continue
		}
		kinds, want = append(kinds, kind), append(want, line)
	}
	for _, text := range u.read() {
		if kind, _, _ := strings.Cut(text, " "); slices.Contains(kinds, kind) {
			got = append(got, text)
		}
	}
	expectLines(u.f.t, got, want)
}

// add enters requests without labels in the ledger.
func (u *user) add(ids ...string) {
	var entries []session.Entry
	for _, id := range ids {
		entries = append(entries, session.Entry{ID: id})
	}
	u.Add(entries...)
}

// lock keeps the store of the session busy for a time.
func (u *user) lock(d time.Duration) {
	u.f.t.Helper()
	alerts := u.options.Store.Of(origin).Alerts
	must.Succeed(u.f.t, alerts.AddRule(u.f.t.Context(), rule("price < 0.01")))
	go func() {
		_, _ = alerts.Check(context.WithoutCancel(u.f.t.Context()), time.Now(), func(model.VintageKey) alert.Facts {
			time.Sleep(d)
			return alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
		})
	}()
	synctest.Wait()
}
