package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"tonne/api"
	"tonne/api/worker"
	"tonne/model"
	must "tonne/model/musttest"
)

// pendingMarket returns a client of a marketplace that is still being created.
func pendingMarket(t *testing.T, baseURL string) (*api.Client, *pendingKey) {
	t.Helper()
	key := newPendingKey()
	client, err := api.New(api.Options{BaseURL: baseURL, Transport: key})
	must.Succeed(t, err)
	t.Cleanup(client.Close)
	return client, key
}

func TestRequestsWaitForPendingKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer k" {
			fmt.Fprint(w, `{"projects":[{"project_id":"P1","project_name":"Bale"}],"total_items":1}`)
		}
	}))
	t.Cleanup(server.Close)
	client, key := pendingMarket(t, server.URL)
	var projects []model.Project
	ended := worker.Start(func() (err error) {
		projects, err = client.Projects(context.Background())
		return err
	})
	key.arrive("k", nil)
	err := ended()
	must.Hold(t, err == nil && len(projects) != 0, len(projects), "projects", err)
}

func TestRequestsEndIfMarketplaceIsNotCreated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, key := pendingMarket(t, "http://127.0.0.1:1")
		ctx, leave := context.WithCancel(t.Context())
		ended := worker.Start(func() error {
			_, err := client.Projects(ctx)
			return err
		})
		synctest.Wait()
		leave()
		err := ended()
		must.Hold(t, api.KindOf(err) == api.Cancelled, "cancelled", err)
		full := errors.New("the disk is full")
		key.arrive("", full)
		_, err = client.Projects(t.Context())
		must.Hold(t, errors.Is(err, full) && err.Error() == "the disk is full", "failed", err)
	})
}
