package musttest_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// result is a test that records its failures.
type result struct {
	failed string
	ended  bool
}

func (*result) Helper()                          {}
func (r *result) Errorf(format string, a ...any) { r.failed += fmt.Sprintf(format, a...) }
func (r *result) Fatal(args ...any)              { r.failed, r.ended = r.failed+fmt.Sprint(args...), true }
func (r *result) wants(says string, ends bool) bool {
	return strings.Contains(r.failed, says) && r.ended == ends && (says != "") == (r.failed != "")
}

func TestAssertionsFailAndSayWhy(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		check func(t must.Test)
		says  string
		ends  bool
	}{
		{"equal", func(t must.Test) { must.Equal(t, []int{1}, []int{1}) }, "", false},
		{"an empty slice and none", func(t must.Test) { must.Equal(t, []int{}, nil) }, "", false},
		{"not equal", func(t must.Test) { must.Equal(t, "a", "b", "name") }, "\"name\" \ngot  \"a\"\nwant \"b\"", false},
		{"holds", func(t must.Test) { must.Hold(t, true) }, "", false},
		{"does not hold", func(t must.Test) { must.Hold(t, false, 7) }, "7", false},
		{"needed", func(t must.Test) { must.Need(t, false, "file") }, "\"file\"", true},
		{"succeeded", func(t must.Test) { must.Succeed(t, nil, nil) }, "", false},
		{"did not succeed", func(t must.Test) { must.Succeed(t, nil, broken) }, "broken", true},
		{"the wanted error", func(t must.Test) { must.Fail(t, fmt.Errorf("x: %w", broken), broken) }, "", false},
		{"another error", func(t must.Test) { must.Fail(t, io.EOF, broken) }, "error EOF, want broken", false},
		{"no error", func(t must.Test) { must.Fail(t, nil, broken) }, "error <nil>", false},
	} {
		r := &result{}
		c.check(r)
		if !r.wants(c.says, c.ends) {
			t.Errorf("%s: %q, ended %v", c.name, r.failed, r.ended)
		}
	}
}
