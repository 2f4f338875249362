package cli

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"tonne/api"
	"tonne/ui/cli/output"
)

// reading is what a command has at hand while it reads from the marketplace
// that is configured.
type reading struct {
	client   *api.Client
	baseURL  string
	details  *details
	progress *progress
	// missing says which listings were read in part only, unread what of them
	// could not be read.
	missing, unread []string
}

// read connects to the marketplace. The caller closes the reading.
func (a *app) read(ctx context.Context) (*reading, error) {
	client, settings, err := a.connect()
	if err != nil {
		return nil, err
	}
	return &reading{
		client: client, baseURL: string(settings.baseURL), details: a.newDetails(ctx, client, a.openStore()), progress: a.newProgress(),
	}, nil
}

func (r *reading) partly(err error) error {
	if api.KindOf(err) != api.Incomplete {
		return err
	}
	if !slices.Contains(r.missing, err.Error()) {
		r.missing = append(r.missing, err.Error())
	}
	return nil
}

func (r *reading) beside(l *listing, err error) error {
	if !l.allPages() && api.KindOf(err) == api.Incomplete {
		r.details.app.warn("some values may be missing: %v", err)
		return nil
	}
	return r.partly(err)
}

func listed(read int, err error) int {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Kind == api.Incomplete {
		return e.Total
	}
	return read
}

func (r *reading) unseen() error {
	if all := slices.Concat(r.missing, r.unread); len(all) > 0 {
		return incomplete("%s", strings.Join(all, "; "))
	}
	return nil
}

func (r *reading) close() {
	r.progress.clear()
	r.details.close()
	r.details.app.disconnect(r.client)
}

// envelope is what a JSON document tells before the projects.
type envelope struct {
	FetchedAt     string `json:"fetched_at"`
	BaseURL       string `json:"base_url"`
	TotalProjects int    `json:"total_projects"`
	Complete      bool   `json:"complete"`
}

// formats are the same data in each of the formats.
type formats struct {
	document func() error
	// header names the values of each of the rows.
	header string
	rows   func(output.Rows)
	table  func() *output.Grid
	// none says that there is nothing, under the titles of a table.
	none string
}

func rowFormats[T any](columns output.Columns[T], rows iter.Seq[T]) formats {
	return formats{
		header: columns.Header(), rows: func(out output.Rows) { columns.Write(out, rows) },
		table: func() *output.Grid { return columns.Grid(rows) },
	}
}

func (a *app) print(chosen output.Format, in formats) error {
	switch chosen {
	case output.JSON:
		return in.document()
	case output.Table:
		g := in.table()
		if err := a.grid(g); err != nil || !g.Empty() || in.none == "" {
			return err
		}
		a.warn("%s", in.none)
		return nil
	}
	rows := output.NewRows(a.data(), chosen, in.header)
	in.rows(rows)
	return rows.Flush()
}
