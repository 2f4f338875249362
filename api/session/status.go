package session

import "time"

// State is the condition of one polled resource.
type State int8

// The states. Loading is before the first answer; Stale keeps the last good
// value while tries fail; Refused means that the key or the role was not
// accepted and polling has ended.
const (
	Loading State = iota
	Live
	Stale
	Refused
	Paused
)

// Status says how a resource stands.
type Status struct {
	State State
	// At is when the value shown was fetched, on the wall clock; zero while
	// there is none.
	At time.Time
	// Err is why the last try failed; nil after a good one.
	Err error
	// RetryAt is when the next try is due after a failure. Asked says that the
	// service asked to wait until then; only a refresh polls earlier.
	RetryAt time.Time
	Asked   bool
	// Fetching says that a request is under way; Done and Total count the
	// pages of it. Total is 0 while it is not known.
	Fetching    bool
	Done, Total int
	// Earlier says that an earlier run read the value: it is shown until there is
	// a newer one, and nothing is recorded or decided by it.
	Earlier bool
}

// Old reports whether the value shown is older than it should be.
func (s Status) Old() bool { return s.State == Stale || s.State == Refused }

func (s Status) pausedIf(paused bool) Status {
	if paused && s.State != Refused {
		s.State = Paused
	}
	return s
}
