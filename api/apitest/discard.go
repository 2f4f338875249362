package apitest

import (
	"context"
	"io"
	"net/http"

	"tonne/api/worker"
	must "tonne/model/musttest"
)

// Discard fetches the answers of n addresses over eight connections: the least that a client
// has to do. It panics if one cannot be fetched.
func Discard(ctx context.Context, n int, address func(i int) string) {
	const connections = 8
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	worker.Each(ctx, connections, n, func(i int) {
		answer := must.Get(client.Get(address(i)))
		must.Get(io.Copy(io.Discard, answer.Body))
		_ = answer.Body.Close()
	})
}
