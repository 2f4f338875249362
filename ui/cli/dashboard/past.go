package dashboard

import (
	"context"
	"time"

	"tonne/model/file/record"
	"tonne/model/market"
	"tonne/ui"
)

// Past returns the markets that were recorded of a service, for the screen.
func Past(of record.Service) ui.Past { return past{of} }

type past struct{ record.Service }

func (p past) At(ctx context.Context, at time.Time) (*market.Market, time.Time, error) {
	seen, err := p.Service.At(ctx, at)
	return seen.Market, seen.At, err
}
