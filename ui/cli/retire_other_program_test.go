package cli

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model/retirement"
)

// otherService accepts every call, or never responds.
type otherService struct {
	*api.Client
	silent bool
}

func (s otherService) RequestRetirement(context.Context, []byte) (wire.RetireAccepted, error) {
	if s.silent {
		runtime.Goexit()
	}
	return wire.RetireAccepted{RequestID: "00m1"}, nil
}

// otherProgram returns the workflow of another program with the journal in a data directory.
// Its calls are accepted, or never answered.
func otherProgram(t *testing.T, data, profile string, silent bool) *retire.Workflow {
	t.Helper()
	w := &retire.Workflow{
		Path: filepath.Join(data, "tonne", "journal.db"), Account: retire.NewAccount(baseURL, profile, ""), Client: otherService{silent: silent}, By: "ann", Now: time.Now,
	}
	t.Cleanup(func() { _ = w.Close(time.Second) })
	return w
}

// sendElsewhere sends a call in another goroutine. It returns when the response arrives, or
// when otherService has stopped responding.
func sendElsewhere(t *testing.T, send func() (retire.Call, error)) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if c, err := send(); err != nil || c.State != retire.Done {
			t.Errorf("%+v, %v", c, err)
		}
	}()
	<-ended
}

func smallCall(id string) retire.Call {
	return retire.Call{ExternalID: id, Plan: retirement.Call{VintageID: "004bale21", Quantity: 20}, Body: []byte("{}")}
}
