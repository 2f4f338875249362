// Package marketplace is the marketplace service: the HTTP interface on top of
// the rules in exchange and the SQL in storage, and what an operator does
// beside it.
//
// A request is answered from one read transaction or changes everything in one
// write transaction. Every query is scoped to the tenant that the API key
// belongs to.
package marketplace
