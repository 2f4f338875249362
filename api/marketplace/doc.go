// Package marketplace is the marketplace service: the HTTP interface on top of
// the rules and their SQL in exchange, and what an operator does.
//
// A request is answered from one read transaction or changes everything in one
// write transaction. Every query is scoped to the tenant that the API key
// belongs to.
package marketplace
