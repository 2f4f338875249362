package marketplace

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/postgres/postgrestest"
)

// openDemo is a service with demo data that the test may change: a copy of the
// shared one.
func openDemo(t testing.TB) (*fixture, demo.Data) {
	t.Helper()
	path, made := copyDemo(t)
	d := &fixture{t: t, clock: &testClock{now: testNow}, key: made.Key, path: path}
	d.Marketplace = open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})
	return d, made
}

// copyDemo is a database with demo data.
func copyDemo(t testing.TB) (path string, made demo.Data) {
	t.Helper()
	if os.Getenv(onPostgres) != "" {
		template, made := demoTemplate()
		return copyDatabase(t, template), made
	}
	image, made := demoImage()
	path = tempDatabase(t)
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, made
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

// demoTemplate is a database of the server with demo data and without connections.
var demoTemplate = sync.OnceValues(func() (string, demo.Data) {
	const name = "tonne_demo"
	ctx, server := context.Background(), os.Getenv(onPostgres)
	if err := postgrestest.Run(ctx, server, "CREATE DATABASE "+name); err != nil {
		panic(err)
	}
	m, made := loadDemo(databaseAt(server, name))
	if err := m.Close(); err != nil {
		panic(err)
	}
	return name, made
})

// sharedDemo is made once, for all tests that only read.
var sharedDemo = sync.OnceValues(func() (*Marketplace, demo.Data) {
	if os.Getenv(onPostgres) == "" {
		return loadDemo("")
	}
	ctx, server := context.Background(), os.Getenv(onPostgres)
	template, made := demoTemplate()
	if err := postgrestest.Run(ctx, server, "CREATE DATABASE tonne_shared TEMPLATE "+template); err != nil {
		panic(err)
	}
	m, err := Open(ctx, databaseAt(server, "tonne_shared"), demoOptions)
	if err != nil {
		panic(err)
	}
	return m, made
})

var demoOptions = Options{Now: func() time.Time { return testNow }, RatePerSecond: -1}

func loadDemo(path string) (*Marketplace, demo.Data) {
	m, err := Open(context.Background(), path, demoOptions)
	if err != nil {
		panic(err)
	}
	made, err := demo.Load(context.Background(), m, demo.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	return m, made
}

// readDemo is a service with demo data that the test must not change.
func readDemo(t testing.TB) (*fixture, demo.Data) {
	t.Helper()
	m, made := sharedDemo()
	return &fixture{t: t, Marketplace: m, key: made.Key}, made
}
