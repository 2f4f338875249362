// Package apitest answers in the ways that a marketplace, a proxy or a broken
// network answers, for the tests of programs that call one. Each fault is an
// http.Handler that works behind httptest.Server and behind Transport, which
// needs no network and so works with testing/synctest.
package apitest
