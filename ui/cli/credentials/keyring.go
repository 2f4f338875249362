package credentials

import (
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// Keyring is what is needed of the keyring of a system.
type Keyring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

// service is the name under which keys stand in a keyring.
const service = "tonne"

// Limit is how long a keyring may take: one that is locked waits for somebody
// to unlock it, who may not be there.
const Limit = 3 * time.Second

// System is the keyring of the system.
type System struct{}

// Set stores a secret.
func (System) Set(service, user, secret string) error { return keyring.Set(service, user, secret) }

// Get returns a secret.
func (System) Get(service, user string) (string, error) { return keyring.Get(service, user) }

// Delete removes a secret.
func (System) Delete(service, user string) error { return keyring.Delete(service, user) }

func withinLimit(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(Limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("no answer within %s", Limit)
	}
}
