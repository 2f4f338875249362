// Package listing is what the commands share that read listings: a connection, flags of
// pages and filters, project details, and the polls of --watch.
package listing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tonne/api"
	"tonne/ui/cli/command"
	"tonne/ui/cli/output"
)

func DocumentForm(name string, of func(prefix string) []output.Field) command.OutputForm {
	fields := append(command.FieldsOf[Envelope](""), output.Field{Name: name, Types: []string{"array"}})
	return command.OutputForm{Formats: []output.Format{output.JSON}, Fields: append(fields, of(name+"[].")...)}
}

// reading is what a command has at hand while it reads from the marketplace
// that is configured.
type Connection struct {
	Client         *api.Client
	BaseURL        string
	ProjectDetails *ProjectDetails
	Progress       *command.Progress
	// Missing says which listings were read in part only, unread what of them
	// could not be read.
	Missing, Unread []string
}

// read connects to the marketplace. The caller closes the reading.
func Connect(ctx context.Context, a *command.App) (*Connection, error) {
	client, settings, err := a.Connect()
	if err != nil {
		return nil, err
	}
	return &Connection{
		Client: client, BaseURL: string(settings.BaseURL), ProjectDetails: NewDetails(ctx, a, client, a.OpenStore()), Progress: a.NewProgress(),
	}, nil
}

func (r *Connection) Partly(err error) error {
	if api.KindOf(err) != api.Incomplete {
		return err
	}
	if !slices.Contains(r.Missing, err.Error()) {
		r.Missing = append(r.Missing, err.Error())
	}
	return nil
}

func (r *Connection) Beside(l *PagingFlags, err error) error {
	if !l.AllPages() && api.KindOf(err) == api.Incomplete {
		r.ProjectDetails.App.Warn("some values may be missing: %v", err)
		return nil
	}
	return r.Partly(err)
}

func Listed(read int, err error) int {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Kind == api.Incomplete {
		return e.Total
	}
	return read
}

func (r *Connection) Unseen() error {
	if all := slices.Concat(r.Missing, r.Unread); len(all) > 0 {
		return command.Incomplete("%s", strings.Join(all, "; "))
	}
	return nil
}

func (r *Connection) Close() {
	r.Progress.Clear()
	r.ProjectDetails.close()
	r.ProjectDetails.App.Disconnect(r.Client)
}

// Envelope is what a JSON document tells before the projects.
type Envelope struct {
	FetchedAt     string `json:"fetched_at"`
	BaseURL       string `json:"base_url"`
	TotalProjects int    `json:"total_projects"`
	Complete      bool   `json:"complete"`
}

// NewEnvelope returns the envelope of a listing that was read at a time from a service.
func NewEnvelope(at time.Time, baseURL string, total int, complete bool) Envelope {
	return Envelope{FetchedAt: command.Rfc3339(at), BaseURL: baseURL, TotalProjects: total, Complete: complete}
}
