package session

import (
	"fmt"
	"testing"
)

func TestRequestsThatNobodyWaitsForAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRetirements(nil)
	r.request("followed").followed = true
	r.request("under way").news.Fetching = true
	r.lookUp("asked")
	for n := range 50 * mostAnswers {
		r.request(fmt.Sprint("R", n))
	}
	if len(r.requests) > mostAnswers {
		t.Errorf("%d are remembered", len(r.requests))
	}
	for _, id := range []string{"followed", "under way", "asked"} {
		if r.requests[id] == nil {
			t.Errorf("what is %s is forgotten", id)
		}
	}
}
