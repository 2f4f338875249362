package session_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"tonne/api/session"
	"tonne/model/store"
)

func TestRequestsHaveTheReferencesOfTheBooksAndTheLedgerLivesWithoutThem(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		books := map[string][]string{}
		var broken error
		ctx, cancel := context.WithCancel(t.Context())
		r := &running{t: t, store: store.Open(""), stop: cancel, ended: make(chan error, 1), Session: nil}
		r.Session = session.New(&fake{}, session.Options{Origin: origin, Store: r.store, References: func(context.Context) (map[string][]string, error) {
			return books, broken
		}})
		go func() { r.ended <- r.Run(ctx) }()
		t.Cleanup(r.end)
		r.OpenLedger()
		r.Add(session.Entry{ID: "R1"}, session.Entry{ID: "R2"})
		if e := must[session.LedgerEvent](r); len(e.Requests) != 2 || e.Requests[1].References != nil {
			t.Errorf("%+v", e.Requests)
		}
		books = map[string][]string{"R1": {"flight-9", "flight-10"}}
		r.OpenLedger()
		if e := must[session.LedgerEvent](r); !reflect.DeepEqual(e.Requests[1].References, books["R1"]) {
			t.Errorf("%+v", e.Requests[1])
		}
		broken = errors.New("the disk is full")
		r.Add(session.Entry{ID: "R3"})
		r.OpenLedger()
		if e := must[session.LedgerEvent](r); len(e.Requests) != 3 || e.Err != nil {
			t.Errorf("%+v", e)
		}
	})
}
