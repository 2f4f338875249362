package marketplace

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/demo"
)

// openDemo is a service with demo data that the test may change: a copy of the
// shared one.
func openDemo(t testing.TB) (*fixture, demo.Data) {
	t.Helper()
	image, made := demoImage()
	path := tempDatabase(t)
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &fixture{t: t, clock: &testClock{now: testNow}, key: made.Key, path: path}
	d.Marketplace = open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})
	return d, made
}

var demoImage = sync.OnceValues(func() ([]byte, demo.Data) {
	m, made := sharedDemo()
	f, err := os.CreateTemp("", "tonne-demo-*")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(m.db.Backup(context.Background(), f), f.Close()); err != nil {
		panic(err)
	}
	image, err := os.ReadFile(f.Name())
	if err != nil {
		panic(err)
	}
	return image, made
})

// sharedDemo is made once, for all tests that only read.
var sharedDemo = sync.OnceValues(func() (*Marketplace, demo.Data) {
	m, err := Open(context.Background(), "", Options{Now: func() time.Time { return testNow }, RatePerSecond: -1})
	if err != nil {
		panic(err)
	}
	made, err := demo.Load(context.Background(), m, demo.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	return m, made
})

// readDemo is a service with demo data that the test must not change.
func readDemo(t testing.TB) (*fixture, demo.Data) {
	t.Helper()
	m, made := sharedDemo()
	return &fixture{t: t, Marketplace: m, key: made.Key}, made
}
