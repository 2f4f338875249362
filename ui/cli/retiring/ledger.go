package retiring

import (
	"context"

	"tonne/ui/cli/command"
)

// referenceLedger is the ledger of this machine as retiring uses it.
type referenceLedger struct {
	app    *command.App
	origin string
}

// WithReference searches the ledger. If it cannot be read, there is only a warning: the ids
// of the calls still keep the service from retiring twice.
func (l referenceLedger) WithReference(ctx context.Context, reference string) ([]string, error) {
	local := l.app.OpenStore()
	defer local.Close()
	ids, err := local.Of(l.origin).Ledger.WithReference(ctx, reference)
	if err == nil {
		err = local.Problem()
	}
	if err != nil && ctx.Err() == nil {
		l.app.Log().Warn("the ledger was not searched for the reference", "error", err)
		return nil, nil
	}
	return ids, err
}

// Remember enters requests in the order in which they were made, with their references.
func (l referenceLedger) Remember(ctx context.Context, ids []string, references map[string][]string) error {
	local := l.app.OpenStore()
	defer local.Close()
	err := local.Of(l.origin).Ledger.Remember(ctx, l.app.Now(), ids...)
	if err == nil {
		err = local.Of(l.origin).Ledger.KeepReferences(ctx, references)
	}
	if err == nil {
		err = local.Problem()
	}
	return err
}
