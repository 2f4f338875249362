// Package api is the client of the marketplace: typed calls over its HTTP
// interface, whole listings over pages, retries and typed errors. It keeps no
// state between runs; that is the task of package session. Retirements are
// planned and sent through package retire only. Start reading at Client.
package api
