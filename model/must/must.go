// Package must is for tests: it ends them at errors that they do not expect.
package must

import "errors"

// Succeed ends the test of t if one of the errors is not nil.
func Succeed(t interface {
	Helper()
	Fatal(args ...any)
}, errs ...error,
) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Get returns the value of a call that must not fail. It panics if the call fails.
func Get[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
