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
)

// pendingMarket returns a client of a marketplace that is still being created.
func pendingMarket(t *testing.T, baseURL string) (*api.Client, *pendingKey) {
	t.Helper()
	key := newPendingKey()
	client, err := api.New(api.Options{BaseURL: baseURL, Transport: key})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := ended(); err != nil || len(projects) == 0 {
		t.Errorf("%d projects, %v", len(projects), err)
	}
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
		if err := ended(); api.KindOf(err) != api.Cancelled {
			t.Errorf("cancelled: %v", err)
		}
		full := errors.New("the disk is full")
		key.arrive("", full)
		if _, err := client.Projects(t.Context()); !errors.Is(err, full) || err.Error() != "the disk is full" {
			t.Errorf("failed: %v", err)
		}
	})
}
