// Package musttest fails tests at errors and values that they do not expect. Tests import it as must.
package musttest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Test is a test, a benchmark or the test of a property.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Succeed ends the test of t if one of the errors is not nil.
func Succeed(t Test, errs ...error) {
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

// Err returns the error of a call, for Fail.
func Err[T any](_ T, err error) error { return err }

// Equal fails the test of t, and lets it go on, if a value is not the wanted one. about says
// what the value is of. Two empty slices or maps are equal.
func Equal[T any](t Test, got, want T, about ...any) {
	t.Helper()
	if v, w := reflect.ValueOf(&got).Elem(),
		reflect.ValueOf(&want).Elem(); (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) &&
		v.Len() == 0 && w.Len() == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot  %s\nwant %s", subject(about), show(got), show(want))
	}
}

// Hold fails the test of t, and lets it go on, unless a condition holds. about are the values that it
// is about.
func Hold(t Test, condition bool, about ...any) {
	t.Helper()
	if !condition {
		t.Errorf("not as it should be: %s", subject(about))
	}
}

// Need ends the test of t unless a condition holds. about are the values that it is about.
func Need(t Test, condition bool, about ...any) {
	t.Helper()
	if !condition {
		t.Fatal("not as it should be: " + subject(about))
	}
}

// Fail fails the test of t, and lets it go on, unless an error is or wraps the wanted one. If nil is wanted, there
// must be none.
func Fail(t Test, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%serror %v, want %v", subject(about), err, want)
	}
}

// subject returns a line that says what a failure is about.
func subject(about []any) string {
	var line strings.Builder
	for _, value := range about {
		line.WriteString(show(value) + " ")
	}
	if line.Len() > 0 {
		line.WriteString("\n")
	}
	return line.String()
}

// show quotes text, except lines such as those of a screen.
func show(value any) string {
	if text, ok := value.(string); ok && strings.Contains(text, "\n") &&
		!strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), unicode.IsControl) {
		return "\n" + text
	}
	switch value.(type) {
	case string, []string:
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf("%+v", value)
}
