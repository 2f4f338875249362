package retire

import (
	"cmp"
	"context"
	"errors"

	"tonne/api/retire"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (r *Controller) advice(err error) line {
	_, known := localError(err)
	text := cmp.Or(known, tab.Advice(err), "Try it again; if it stays, ask whoever looks after this machine.")
	return said(style.Muted, r.view.Commands(text))
}

// makeRoom is what to do about retire.ErrDisk.
const makeRoom = "Make room on the disk of the journal, or make it writable."

// local are the errors of this machine, with what they are and what to do.
var local = []struct {
	err        error
	what, todo string
}{
	{retire.ErrLocked, "another program has locked the journal", "Close it, or wait for it to finish, then try again."},
	{retire.ErrDisk, "the journal cannot be written", makeRoom},
	{retire.ErrEmptied, "the journal is empty, although calls were sent with it", "Restore journal.db from a copy. Without one, ask the operator of the service what was retired."},
	{retire.ErrHeld, "another program is making this call", "Let it end, then look with U what became of it."},
	{retire.ErrEnded, "another program has ended this call", "Esc, then look at the ledger, or list what is not known with U."},
	{retire.ErrNoCall, "the journal has no such call", "Look whether this is the profile that made it, and whether the journal was moved away."},
	{retire.ErrNotSent, "the call was never sent", "Look at its id once more: U lists the calls."},
	{retire.ErrOtherBody, "the id stands for another call", "Esc, then plan it again: a new plan has ids of its own."},
	{retire.ErrUnsettled, "the same was confirmed before, and is not settled", "Esc, then U, or `tonne retire pending` if it was given up: settle that one first. For a second retirement give another reference."},
	{retire.ErrOtherKey, "it was made with another API key", "Use the key that made it. If that was rotated for the same tenant: `tonne retire resume --same-tenant`."},
	{retire.ErrWalletUnread, "a wallet of the vintage cannot be read", "Look at it on the Inventory tab, and ask the service's operator."},
	{retire.ErrBookUnread, "a sell order of the vintage cannot be read", "Look at it on the Market tab, and ask the service's operator."},
	{context.Canceled, "the program ends", "Start it again: what was sent is in the journal, and is shown then."},
}

func localError(err error) (what, todo string) {
	for _, l := range local {
		if errors.Is(err, l.err) {
			return l.what, l.todo
		}
	}
	return "", ""
}
