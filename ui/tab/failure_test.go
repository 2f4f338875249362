package tab

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api"
)

func TestErrorsHaveBriefTextAndAdvice(t *testing.T) {
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

func TestRateLimitAdviceNamesTheWait(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{0: "60 s", 7e9: "7 s", 7e9 + 1: "8 s", time.Hour: "3600 s"} {
		if got := Advice(&api.Error{Kind: api.RateLimited, RetryAfter: wait}); got != "Try again in "+want+"." {
			t.Error(got)
		}
	}
	if got := Advice(&api.Error{Kind: api.ServerError, Status: 503, RetryAfter: time.Hour}); got != "Try again in 3600 s." {
		t.Error(got)
	}
}

func TestUnreadableRecordIsAnErrorOfTheMarketplace(t *testing.T) {
	t.Parallel()
	if got := Advice(&api.Error{Kind: api.NotTheAPI, Err: api.ErrRecord}); got != tryLater {
		t.Error(got)
	}
}

func TestBaseURLAdviceNeedsAWebPageOrAnotherHost(t *testing.T) {
	t.Parallel()
	for elsewhere, want := range map[bool]string{false: tryLater, true: "Check the base URL: the server there is not the marketplace."} {
		if got := Advice(&api.Error{Kind: api.NotTheAPI, Elsewhere: elsewhere}); got != want {
			t.Errorf("%v: %s", elsewhere, got)
		}
	}
}

func TestOtherErrorsKeepTheirText(t *testing.T) {
	t.Parallel()
	err := errors.New("the disk is full")
	if Brief(err) != "the disk is full" || Advice(err) != "" || Advice(nil) != "" {
		t.Errorf("%q, %q", Brief(err), Advice(err))
	}
}

// The key r retries with the same API key, so the advice must name the command for another one.
func TestRejectedKeyAdviceNamesAuthLogin(t *testing.T) {
	t.Parallel()
	advice := Advice(&api.Error{Kind: api.Unauthorized})
	if !strings.Contains(advice, "`tonne auth login`") || len(advice) > 78 {
		t.Errorf("the advice is %q", advice)
	}
}
