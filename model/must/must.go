// Package must is for tests: it ends one at an error that the test does not expect.
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
