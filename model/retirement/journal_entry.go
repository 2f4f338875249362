package retirement

import "time"

// JournalEntry is a call of the retirement-request operation as it was written
// down before it was sent, with what became of it.
type JournalEntry struct {
	// Account is the local account of the call. Two may be of two tenants.
	Account string
	// ExternalID makes a second sending harmless; Batch and Reference are of the request.
	ExternalID, Batch, Reference string
	Call                         Call
	// Body is what was sent, to the byte.
	Body []byte
	// MadeBy is who prepared it, MadeAt when by the clock of the machine.
	MadeBy string
	MadeAt time.Time
	// State is the state in the journal, Tries how often the call was sent.
	State string
	Tries int
	// RequestID is the retirement request of the call, Remark why it is not done.
	RequestID, Remark string
	// Parts are where the grams stand that moved on from the request, oldest first; nil if
	// none did or that is unclear. See FollowCalls.
	Parts []CallPart
	// Unclear says that the answers do not tell what of the call is in its request.
	Unclear bool
}
