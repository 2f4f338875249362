// Package marketplace is the marketplace service: the HTTP interface, the SQL
// database behind it, the API keys, the life cycle of retirement requests and
// a synthetic market to try all of that on.
//
// A request is answered from one read transaction or changes everything in one
// write transaction. Every query is scoped to the tenant that the API key
// belongs to. Quantities are grams and prices USD cents per tonne, as integers;
// sums and products are made in Go, never in SQL.
package marketplace
