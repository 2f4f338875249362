package session

import "time"

// Follow fetches a retirement request now and again until it reaches a final
// state, as the ledger has it done.
func (s *Session) Follow(id string, since time.Time) {
	s.ask(func(of source) { of.follow(id, since) })
}

// Unfollow ends Follow.
func (s *Session) Unfollow(id string) { s.ask(func(of source) { of.unfollow(id) }) }
