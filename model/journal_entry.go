package model

import "time"

// JournalEntry is a call of the retirement-request operation as it was written
// down before it was sent, with what became of it.
type JournalEntry struct {
	// Account is in whose name it was made, in the words of this machine: calls of
	// two accounts may be of two tenants.
	Account string
	// ExternalID is the id that makes a second sending harmless, Batch and
	// Reference are the wish that the call serves.
	ExternalID, Batch, Reference string
	Call                         RetireCall
	// Body is what was sent, to the byte.
	Body []byte
	// MadeBy is who prepared it, MadeAt when by the clock of the machine.
	MadeBy string
	MadeAt time.Time
	// State is how far it has come, in the words of the journal; Tries is how
	// often it was sent.
	State string
	Tries int
	// RequestID is the retirement request that it went into, Remark what is to
	// be said of it: why it is not done.
	RequestID, Remark string
	// Parts are where the grams of a call stand that moved on from its request,
	// oldest first; nil if all of them are in it, unless that is unclear. See
	// FollowCalls.
	Parts []CallPart
	// Unclear says that the answers of the service do not tell which of several
	// calls an item is of: what of this one stands in its request is not known.
	Unclear bool
}
