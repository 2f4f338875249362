package api_test

import (
	"testing"
	"time"

	"tonne/api"
	must "tonne/model/musttest"
)

func TestErrorOfACertificatesHostDoesNotBlameTheService(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		e    api.Error
		want string
	}{
		{api.Error{Kind: api.ServerError, Status: 503, Message: "the certificate's host answered 503"},
			"its host answered 503"},
		{api.Error{Kind: api.ServerError, Status: 503, RetryAfter: time.Hour},
			"its host answered 503; it asks for a wait of 3600 s"},
		{api.Error{Kind: api.RateLimited, Status: 429}, "its host asks for fewer requests"},
		{api.Error{Kind: api.TimedOut}, "its host did not answer in time"},
		{api.Error{Kind: api.Unreachable, Message: "host name not found"}, "its host cannot be reached: host name not found"},
		{api.Error{Kind: api.Refused, Message: "the address is not https"}, "the address is not https"},
	} {
		must.Equal(t, tt.e.OfHost(), tt.want)
	}
}
