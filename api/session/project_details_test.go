package session_test

import (
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestProjectsAreRequestedAgainAfterTenMinutes(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500}))
		f.start(with{})
		wait(30*time.Minute + time.Second)
		must.Equal(f.t, f.projects.calls(), "0s 10m0s 20m0s 30m0s")
	})
}

func TestProjectsOfTheInventoryWhilePaused(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.projects.answers(pages("Name"))
		me := f.start(with{})
		me.Pause(true)
		me.ShowInventory(api.InventoryQuery{Page: 7})
		me.expect("projects page7=Name 1 fetched")
	})
}

func TestProjectsOfRetirements(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(pages(retirement.Request{Status: retirement.Open, ProjectID: "sold-out"}))
		f.projects.answers(pages("Name"))
		me := f.start(with{})
		me.add("R1")
		me.expect("projects sold-out=Name 1 fetched")
	})
}

func TestFailedRequestsForNamesAreRareAndStopNoPolls(t *testing.T) {
	for _, c := range []struct {
		kind  api.Kind
		event string
	}{
		{kind: api.NotTheAPI, event: "projects (foreign)"},
		{kind: api.Unauthorized, event: "projects (unauthorized)"},
		{kind: api.Forbidden, event: "projects (forbidden)"},
	} {
		t.Run(c.event, func(t *testing.T) {
			inMemory(t, func(f *fixture) {
				f.market.answers(pages(asks{"a": 500}))
				f.projects.answers(fails(c.kind))
				me := f.start(with{})
				wait(time.Hour)
				f.projects.expectBetween(f.t, 10, 80)
				f.market.expectBetween(f.t, 700, 721)
				me.expect(c.event)
			})
		})
	}
}

func TestOldNamesAreKeptUntilThereAreNewOnes(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.named("old", "Old", 192*time.Hour)
		f.named("fresh", "Fresh", 0)
		f.market.answers(pages(asks{"old": 1, "fresh": 1}))
		f.projects.answers(fails(api.ServerError), pages("New"))
		me := f.start(with{})
		me.expect("projects fresh=Fresh old=Old (broken)")
		wait(time.Minute)
		me.expect("projects fresh=Fresh old=New 1 fetched")
		f.projects.expectCount(f.t, 2)
	})
}

func TestNamesAreKeptForAWeek(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(pages(asks{"P": 1}))
		f.projects.answers(pages("New"))
		f.named("P", "Earlier", 167*time.Hour)
		me := f.start(with{})
		wait(time.Second)
		me.expect("projects P=Earlier")
		f.projects.expectCount(f.t, 0)
		me.end()
		wait(2 * time.Hour)
		next := f.start(with{})
		next.expect("projects P=New 1 fetched")
		f.projects.expectCount(f.t, 1)
		next.end()
		last := f.start(with{})
		last.expect("projects P=New")
		f.projects.expectCount(f.t, 1)
	})
}

func TestNoNameIsRequestedBeforeTheKnownOnesWereRead(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.named("a", "A", 0)
		f.market.answers(pages(asks{"a": 1, "b": 1}))
		f.projects.answers(pages("B"))
		first := f.start(with{record: true})
		first.AddRule(rule("price < 1"))
		first.end()
		me := f.start(with{})
		me.lock(7 * time.Second)
		wait(6 * time.Second)
		me.read()
		wait(2 * time.Second)
		me.expect("no projects")
	})
}

func TestNamesAreRequestedInBatchesOfFifty(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.named("p000", "Known", 0)
		many := asks{}
		for n := range 120 {
			many[fmt.Sprintf("p%03d", n)] = 500
		}
		f.market.answers(pages(many))
		f.projects.answers(pages("Name").slow(100 * time.Millisecond))
		me := f.start(with{})
		me.ShowProjects([]string{"p077"})
		wait(50 * time.Millisecond)
		wait(time.Minute)
		must.Equal(f.t, f.projects.subjects, []string{"50 from p077", "50 from p050", "19 from p101"})
		me.expect("projects 120 known 119 fetched")
	})
}

// named enters a name that an earlier run received.
func (f *fixture) named(id, name string, ago time.Duration) {
	f.t.Helper()
	f.stored(func(o *store.Store) error {
		return o.Of(origin).Cache.PutProjects(f.t.Context(), []model.Project{{ID: id, Name: name}}, f.now().Add(-ago))
	})
}
