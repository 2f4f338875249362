package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

// roundTrip is the duration of a call of a distant service.
const roundTrip = 50 * time.Millisecond

// distant is a large market on a slow connection, with a hundred projects per page. Names are
// in the opposite order of ids.
type distant struct {
	session.Client
	projects int
}

func (d distant) Market(_ context.Context, _ int, each func(*market.Page, model.Page)) (*market.Market, error) {
	const perPage, connections = 100, 4
	var parts []*market.Page
	pages := d.projects / perPage
	for page := range pages {
		if page%connections <= 1 {
			time.Sleep(roundTrip)
		}
		part := new(market.Page)
		for n := page * perPage; n < (page+1)*perPage; n++ {
			part.AddProject(fmt.Sprintf("003p%05d", n))
			part.AddVintage(fmt.Sprintf("004p%05d", n), 2020)
			part.AddOrder(fmt.Sprintf("006p%05d", n), model.GramsPerTonne, 500)
		}
		parts = append(parts, part)
		each(part, model.Page{PerPage: perPage, Current: page + 1, TotalPages: pages, TotalItems: d.projects})
	}
	return market.New(parts...), nil
}

func (d distant) Projects(_ context.Context, ids ...string) ([]model.Project, error) {
	time.Sleep(roundTrip)
	projects := make([]model.Project, len(ids))
	for i, id := range ids {
		var n int
		fmt.Sscanf(id, "003p%d", &n)
		projects[i] = model.Project{ID: id, Name: fmt.Sprintf("Name %05d", d.projects-n)}
	}
	return projects, nil
}

func (distant) Inventory(context.Context, api.InventoryQuery,
	func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	time.Sleep(roundTrip)
	return &portfolio.Inventory{}, nil
}

// reader reads the screen of a dashboard with a real session.
type reader struct {
	t       *testing.T
	app     *App
	session *session.Session
	began   time.Time
}

// read delivers the next events of the session.
func (r *reader) read() {
	events, err := r.session.Next(r.t.Context())
	must.Succeed(r.t, err)
	r.app.Update(feedEvents{events: events})
}

// firstCells returns the first cells of the table.
func (r *reader) firstCells() []string {
	var cells []string
	for _, line := range strings.Split(ansi.Strip(r.app.View().Content), "\n")[3:] {
		if strings.HasPrefix(line, "─") {
			break
		}
		fields := strings.Fields(strings.TrimPrefix(line, "▎"))
		if len(fields) > 1 && (fields[0] == "Name" || strings.HasPrefix(fields[0], "003p")) {
			cells = append(cells, strings.Join(fields[:2], " "))
		}
	}
	return cells
}

func named(cells []string) int {
	n := 0
	for _, c := range cells {
		if strings.HasPrefix(c, "Name ") {
			n++
		}
	}
	return n
}

func atDistance(t *testing.T, projects int, test func(r *reader)) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{t: t, began: time.Now()}
		memory := store.Open("")
		r.session = session.New(distant{projects: projects}, session.Options{Origin: "https://market.example", Store: memory})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.session.Run(ctx) }()
		r.app = New(ctx,
			Options{Feed: r.session, Host: "market.example", Theme: "dark", Location: time.UTC,
				Getenv: func(string) string { return "" }})
		r.app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		defer func() {
			cancel()
			must.Succeed(t, <-ended)
			_ = memory.Close()
		}()
		test(r)
	})
}

func TestVisibleNamesArriveWithinFourRoundTrips(t *testing.T) {
	t.Parallel()
	atDistance(t, 10_000, func(r *reader) {
		for {
			r.read()
			cells := r.firstCells()
			trips := time.Since(r.began) / roundTrip
			must.Need(r.t, trips <= 4, "after", trips, named(cells), len(cells))
			if len(cells) > 10 && named(cells) == len(cells) {
				break
			}
		}
		for r.app.view.Market.Market == nil || r.app.view.Market.Partial {
			r.read()
		}
		// After G the names of the last rows are loaded next.
		from := time.Now()
		r.app.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
		for named(r.firstCells()) < len(r.firstCells()) {
			r.read()
			trips := time.Since(from) / roundTrip
			must.Need(r.t, trips <= 4, "after", trips, named(r.firstCells()))
		}
	})
}

func TestRowsDoNotMoveWhileNamesArrive(t *testing.T) {
	t.Parallel()
	atDistance(t, 1000, func(r *reader) {
		ids := func() (ids []int) {
			for _, c := range r.firstCells() {
				var n int
				if _, err := fmt.Sscanf(c, "003p%d", &n); err != nil {
					fmt.Sscanf(c, "Name %d", &n)
					n = 1000 - n
				}
				ids = append(ids, n)
			}
			return ids
		}
		var first []int
		for time.Since(r.began) < 12*roundTrip {
			r.read()
			if now := ids(); first == nil {
				first = now
			} else if !slices.Equal(first, now) {
				r.t.Fatalf("rows %v became %v after %v", first, now, time.Since(r.began))
			}
		}
		must.Need(r.t, len(first) >= 10 && first[0] == 0, "rows", first)
		// All names are loaded after twenty more round trips.
		for time.Since(r.began) < 60*roundTrip {
			r.read()
		}
		now := ids()
		must.Equal(r.t, now[0], 999, "with all names rows", now)
	})
}
