package api

import (
	"context"
	"net/url"

	"tonne/api/wire"
	"tonne/model"
)

const (
	maxBatch = 50
	// maxQuery limits the query in bytes, because proxies limit addresses.
	maxQuery = 4 << 10
)

// Projects reads the details of the projects with the ids, or of all projects if none
// is given. It omits projects that the service does not know. It reads many projects in
// batches; with an *Error it returns those of the earlier batches.
func (c *Client) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	var projects []model.Project
	for {
		query, rest := projectQuery(ids)
		a, err := c.send(ctx, request{path: "api/projects", query: query, bulk: c.options.Retries > 0})
		if err != nil {
			return projects, err
		}
		batch, err := wire.DecodeProjects(a.body)
		if err != nil {
			return projects, c.notTheAPI(err)
		}
		projects = append(projects, batch...)
		if ids = rest; len(ids) == 0 {
			return projects, nil
		}
	}
}

func projectQuery(ids []string) (url.Values, []string) {
	const name = "project_ids[]"
	query := make(url.Values)
	size := 0
	for n, id := range ids {
		size += len(url.QueryEscape(name)) + len("=&") + len(url.QueryEscape(id))
		if n > 0 && (n == maxBatch || size > maxQuery) {
			return query, ids[n:]
		}
		query.Add(name, id)
	}
	return query, nil
}
