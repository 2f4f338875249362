package tab

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api"
)

func TestAFailedCallIsToldBrieflyWithAdvice(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*api.Error{
		"key not accepted":          {Kind: api.Unauthorized},
		`role "API User" missing`:   {Kind: api.Forbidden, Role: api.RoleAPIUser},
		"not found":                 {Kind: api.NotFound, Code: "NOT_FOUND", Message: "No such request"},
		"not accepted":              {Kind: api.Invalid, Code: "VALIDATION_ERROR", Message: "id is bad"},
		"too many requests":         {Kind: api.RateLimited},
		"service answered 503":      {Kind: api.ServerError, Status: 503},
		"not the marketplace's API": {Kind: api.NotTheAPI, Status: 200, Message: "what answers is not the marketplace"},
		"connection broke off":      {Kind: api.Unreachable, Message: "connection broke off"},
		"no answer in time":         {Kind: api.TimedOut},
		"cancelled":                 {Kind: api.Cancelled},
		"refused":                   {Kind: api.Refused, Message: "the address is not https"},
	} {
		err := fmt.Errorf("the market: %w", e)
		if got := Brief(err); got != want || len(got) > 30 {
			t.Errorf("brief is %q, want %q", got, want)
		}
		if advice := Advice(err); !strings.HasSuffix(advice, ".") {
			t.Errorf("%s: the advice is %q", want, advice)
		}
	}
}

func TestAdviceOnALimitNamesTheWaitThatWasAskedFor(t *testing.T) {
	t.Parallel()
	if got := Advice(&api.Error{Kind: api.RateLimited, RetryAfter: 7e9}); got != "Try again in 7 s." {
		t.Error(got)
	}
}

func TestARecordOfNoUseIsAMistakeOfTheMarketplace(t *testing.T) {
	t.Parallel()
	if got := Advice(&api.Error{Kind: api.NotTheAPI, Err: api.ErrRecord}); got != tryLater {
		t.Error(got)
	}
}

func TestOtherErrorsAreToldInTheirOwnWords(t *testing.T) {
	t.Parallel()
	err := errors.New("the disk is full")
	if Brief(err) != "the disk is full" || Advice(err) != "" || Advice(nil) != "" {
		t.Errorf("%q, %q", Brief(err), Advice(err))
	}
}

// r asks again with the same key: the screen names the way to another one.
func TestARefusedKeyNamesTheCommandThatStoresAnother(t *testing.T) {
	t.Parallel()
	advice := Advice(&api.Error{Kind: api.Unauthorized})
	if !strings.Contains(advice, "`tonne auth login`") || len(advice) > 78 {
		t.Errorf("the advice is %q", advice)
	}
}
