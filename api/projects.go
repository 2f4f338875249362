package api

import (
	"context"
	"net/url"
	"slices"

	"tonne/api/wire"
	"tonne/api/worker"
	"tonne/model"
)

const (
	maxBatch = 50
	// maxQuery limits the query in bytes, because proxies limit addresses.
	maxQuery = 4 << 10
)

// Projects reads the details of the projects with the ids, or of all projects if none
// is given. It omits projects that the service does not know. It reads many projects in
// batches; with an *Error it returns those of the batches that were read.
func (c *Client) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	query, rest := projectQuery(ids)
	queries := []url.Values{query}
	for len(rest) > 0 {
		query, rest = projectQuery(rest)
		queries = append(queries, query)
	}
	batches := make([][]model.Project, len(queries))
	further, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	worker.Each(further, connections, len(queries), func(i int) {
		a, err := c.send(ctx, request{path: "api/projects", query: queries[i], bulk: c.options.Retries > 0})
		if err == nil {
			batches[i], err = wire.DecodeProjects(a.body)
			err = c.notTheAPI(err)
		}
		if err != nil {
			cancel(err)
		}
	})
	if further.Err() != nil {
		return slices.Concat(batches...), transportError(ctx, context.Cause(further))
	}
	return slices.Concat(batches...), nil
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
