// Package apitest imitates the responses of a marketplace, a proxy or a broken
// network, for tests of API clients. Each fault is an
// http.Handler that works behind httptest.Server and behind Transport, which
// needs no network and so works with testing/synctest.
package apitest
