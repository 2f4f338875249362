// Package marketplacetest is a client for tests of a marketplace in the same process. It also
// checks the consistency of the database with SQL. Start reading at Client.
package marketplacetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Service is a marketplace.
type Service interface {
	Handler() http.Handler
	exchange.Reader
	// Change changes the database, see marketplace.Marketplace.
	Change(ctx context.Context, at time.Time, actor string, fn func(*exchange.Change), lockKeys ...string) error
}

// Client calls a service with an API key and can query its database. Any failure ends the
// test.
type Client struct {
	testing.TB
	Service Service
	Key     string
}

// TempDatabase returns the path of a database that is deleted after the test.
func TempDatabase(t testing.TB) string { return filepath.Join(t.TempDir(), "market.db") }

// Call sends one request to the service, without an API key if key is empty. Header fields are given as names and
// values in turn.
func Call(s Service, key, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// Get sends a GET request.
func (c Client) Get(target string, header ...string) *httptest.ResponseRecorder {
	return Call(c.Service, c.Key, http.MethodGet, target, "", header...)
}

func (c Client) get(target string) []byte {
	c.Helper()
	w := c.Get(target)
	must.Need(c, w.Code == http.StatusOK, target, w.Code, w.Body)
	return w.Body.Bytes()
}

// Retirement returns a retirement request.
func (c Client) Retirement(id string) retirement.Request {
	c.Helper()
	r, err := wire.DecodeRetirement(c.get("/api/retirement?id=" + id))
	must.Succeed(c, err)
	return r
}

// Inventory returns a page of the inventory; query has no question mark.
func (c Client) Inventory(query string) (*portfolio.Inventory, model.Page) {
	c.Helper()
	inv, page, err := wire.DecodeInventory(c.get("/api/inventory?" + query))
	must.Succeed(c, err)
	return inv, page
}

// Market returns a page of the market; query has no question mark.
func (c Client) Market(query string) (*market.Market, model.Page) {
	c.Helper()
	part, page, err := wire.DecodeMarket(c.get("/api/market?" + query))
	must.Succeed(c, err)
	return market.New(part), page
}

// Number reads a number from the database.
func (c Client) Number(sql string, args ...any) (n int64) {
	c.Helper()
	c.query(sql, func(row exchange.Row) { n = row.Int64(0) }, args...)
	return n
}

// Text reads a text from the database, the last of several.
func (c Client) Text(sql string, args ...any) (s string) {
	c.Helper()
	c.query(sql, func(row exchange.Row) { s = row.Text(0) }, args...)
	return s
}

// Texts reads a column of texts from the database.
func (c Client) Texts(sql string) (all []string) {
	c.Helper()
	c.query(sql, func(row exchange.Row) { all = append(all, row.Text(0)) })
	return all
}

func (c Client) query(sql string, read func(exchange.Row), args ...any) {
	c.Helper()
	must.Succeed(c, c.Service.Read(c.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) {
			read(row)
		}, args...)
		return nil
	}))
}
