package cli

import (
	"context"

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
}

// read connects to the marketplace. The caller closes the reading.
func (a *app) read(ctx context.Context) (*reading, error) {
	client, settings, err := a.connect()
	if err != nil {
		return nil, err
	}
	return &reading{client, string(settings.baseURL), a.newDetails(ctx, client, a.openStore()), a.newProgress()}, nil
}

func (r *reading) close() {
	r.progress.clear()
	r.details.close()
	r.details.app.disconnect(r.client)
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

// print writes data in the format that was chosen.
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
