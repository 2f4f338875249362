package retiring

import (
	"context"

	"tonne/ui/cli/command"
)

// ReferenceLedger is the ledger of this machine as retiring uses it.
type ReferenceLedger struct {
	App    *command.App
	Origin string
}

// WithReference searches the ledger. One that cannot be read is warned of: the ids
// of the calls still keep the service from retiring twice.
func (l ReferenceLedger) WithReference(ctx context.Context, reference string) ([]string, error) {
	local := l.App.OpenStore()
	defer local.Close()
	ids, err := local.Of(l.Origin).Ledger.WithReference(ctx, reference)
	if err == nil {
		err = local.Problem()
	}
	if err != nil && ctx.Err() == nil {
		l.App.Log().Warn("the ledger was not searched for the reference", "error", err)
		return nil, nil
	}
	return ids, err
}

// Remember enters requests in the order in which they were made, with their references.
func (l ReferenceLedger) Remember(ctx context.Context, ids []string, references map[string][]string) error {
	local := l.App.OpenStore()
	defer local.Close()
	err := local.Of(l.Origin).Ledger.Remember(ctx, l.App.Now(), ids...)
	if err == nil {
		err = local.Of(l.Origin).Ledger.KeepReferences(ctx, references)
	}
	if err == nil {
		err = local.Problem()
	}
	return err
}
