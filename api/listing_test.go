package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// listing answers the pages of a listing. Tagged, it sends a strong ETag with
// each and answers 304 to a request that has it; with Versions, it also tells
// the version of the whole listing. Its methods are safe for concurrent use.
type listing struct {
	// Tagged and Versions are changed by Offer once there are requests.
	Tagged, Versions bool

	mu      sync.Mutex
	pages   []string
	tags    []string
	version string
	// sent counts answers by their status, bytes the bodies.
	sent  map[int]int
	bytes int
	// conditions counts requests with a tag.
	conditions int
}

// Offer changes what the service knows of conditional requests.
func (l *listing) Offer(tagged, versions bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Tagged, l.Versions = tagged, versions
}

// Set replaces the pages.
func (l *listing) Set(pages ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := sha256.New()
	l.pages, l.tags = slices.Clone(pages), nil
	for _, body := range pages {
		sum := sha256.Sum256([]byte(body))
		_, _ = whole.Write(sum[:])
		l.tags = append(l.tags, `"`+hex.EncodeToString(sum[:8])+`"`)
	}
	l.version = hex.EncodeToString(whole.Sum(nil)[:8])
}

// Sent returns how many answers had a status since the call before, how many
// requests had a tag, and how many bytes the bodies were in all.
func (l *listing) Sent() (whole, unchanged, conditions, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, unchanged, conditions, bytes = l.sent[http.StatusOK], l.sent[http.StatusNotModified], l.conditions, l.bytes
	l.sent, l.conditions, l.bytes = nil, 0, 0
	return whole, unchanged, conditions, bytes
}

// ServeHTTP answers with the page that the query names, 1 if it names none.
func (l *listing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	body, status := l.answer(w.Header(), page, r.Header.Get("If-None-Match"))
	if body != "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (l *listing) answer(h http.Header, page int, condition string) (body string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tag := ""
	if l.sent == nil {
		l.sent = make(map[int]int)
	}
	status = http.StatusOK
	if page < 1 || page > len(l.pages) {
		status = http.StatusUnprocessableEntity
	} else if tag = l.tags[page-1]; l.Tagged && strings.Contains(condition, tag) {
		status = http.StatusNotModified
	} else {
		body = l.pages[page-1]
	}
	if l.Versions {
		h.Set("Market-Version", l.version)
	}
	if l.Tagged && tag != "" {
		h.Set("ETag", tag)
	}
	if condition != "" {
		l.conditions++
	}
	l.sent[status]++
	l.bytes += len(body)
	return body, status
}
