package session

import "time"

// State is the state of a polled resource.
type State int8

// The states. Loading lasts until the first response. Stale keeps the last valid value while
// requests fail. Refused means that the service rejected the key or the role and polling has
// ended.
const (
	Loading State = iota
	Live
	Stale
	Refused
	Paused
)

// Status is the state of a resource with its times.
type Status struct {
	State State
	// At is when the value was fetched, on the wall clock, or zero without a value.
	At time.Time
	// Err is the error of the last request, or nil after a success.
	Err error
	// RetryAt is when the next request is due after a failure. Asked reports that the service
	// demanded that wait; only a refresh polls earlier.
	RetryAt time.Time
	Asked   bool
	// Fetching reports a request in flight. Done and Total count its pages. Total is 0 while
	// unknown.
	Fetching    bool
	Done, Total int
	// Earlier reports that the value is from an earlier run. It is shown until there is a
	// newer one; recording and rules ignore it.
	Earlier bool
}

// Old reports whether the value is outdated.
func (s Status) Old() bool { return s.State == Stale || s.State == Refused }

func (s Status) pausedIf(paused bool) Status {
	if paused && s.State != Refused {
		s.State = Paused
	}
	return s
}
