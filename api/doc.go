// Package api is the client of the marketplace: typed calls over its HTTP
// interface, whole listings over pages, retries and typed errors.
package api
