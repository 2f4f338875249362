package api_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tonne/api"
	must "tonne/model/musttest"
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
		got := api.Brief(err)
		must.Hold(t, got == want && len(got) <= 30, "brief", got, want)
		advice := api.Advice(err).String()
		must.Hold(t, advice != "" && !strings.HasSuffix(advice, "."), want, advice)
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	const later = "Try again later. If it fails again, contact the marketplace's support"
	const hour = "Try again in 3600 s"
	for _, c := range []struct {
		err  error
		want string
	}{
		{&api.Error{Kind: api.RateLimited}, "Try again in 60 s"},
		{&api.Error{Kind: api.RateLimited, RetryAfter: 7e9}, "Try again in 7 s"},
		{&api.Error{Kind: api.RateLimited, RetryAfter: 7e9 + 1}, "Try again in 8 s"},
		{&api.Error{Kind: api.RateLimited, RetryAfter: time.Hour}, hour},
		{&api.Error{Kind: api.ServerError, Status: 503, RetryAfter: time.Hour}, hour},
		// An unreadable record is an error of the marketplace.
		{&api.Error{Kind: api.NotTheAPI, Err: api.ErrRecord}, later},
		{&api.Error{Kind: api.NotTheAPI}, later},
		{&api.Error{Kind: api.NotTheAPI, Elsewhere: true}, "Check the base URL: the server there is not the marketplace"},
		{errors.New("the disk is full"), ""},
		{nil, ""},
	} {
		must.Equal(t, api.Advice(c.err).String(), c.want, c.err)
	}
	must.Equal(t, api.Brief(errors.New("the disk is full")), "the disk is full", "another error")
	// The key r retries with the same API key, so the advice must name the command for another one.
	advice := api.Advice(&api.Error{Kind: api.Unauthorized}).String()
	must.Hold(t, strings.Contains(advice, "`tonne auth login`") && len(advice) <= 78, "the advice", advice)
}
