// Package api is a client for the HTTP interface of a marketplace. It has typed
// calls, reads whole listings page by page, retries, and returns typed errors.
// It keeps no state between runs; package session does. Only package retire
// sends retirements. Start reading at Client.
package api
