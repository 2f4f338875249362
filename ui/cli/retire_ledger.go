package cli

import "context"

// referenceLedger is the ledger of this machine as retiring uses it.
type referenceLedger struct {
	app    *app
	origin string
}

// WithReference searches the ledger. One that cannot be read is warned of: the ids
// of the calls still keep the service from retiring twice.
func (l referenceLedger) WithReference(ctx context.Context, reference string) ([]string, error) {
	local := l.app.openStore()
	defer local.Close()
	ids, err := local.WithReference(ctx, l.origin, reference)
	if err == nil {
		err = local.Problem()
	}
	if err != nil && ctx.Err() == nil {
		l.app.log().Warn("the ledger was not searched for the reference", "error", err)
		return nil, nil
	}
	return ids, err
}

// Remember enters requests in the order in which they were made, with their references.
func (l referenceLedger) Remember(ctx context.Context, ids []string, references map[string][]string) error {
	local := l.app.openStore()
	defer local.Close()
	err := local.Remember(ctx, l.origin, l.app.Now(), ids...)
	if err == nil {
		err = local.KeepReferences(ctx, l.origin, references)
	}
	if err == nil {
		err = local.Problem()
	}
	return err
}
