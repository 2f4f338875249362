package api_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"tonne/api"
	"tonne/api/apitest"
)

func mayRetire(o *api.Options) { o.MayRetire = true }

func TestClientWithoutPermissionSendsNoRetirement(t *testing.T) {
	t.Parallel()
	c := newClient(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	_, err := c.RequestRetirement(t.Context(), []byte("{}"))
	if !errors.Is(err, api.ErrMayNotRetire) || !api.HadNoEffect(err) {
		t.Errorf("err = %v", err)
	}
}

func TestRetirementCallIsSentOnceAndUnchanged(t *testing.T) {
	t.Parallel()
	const body = `{"vintage_id":"004a","quantity_grams":"20","external_id":"x-1"}`
	calls := 0
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		got, err := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/api/caas/request-retirement" || string(got) != body || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %q %v %v", r.Method, r.URL.Path, got, r.Header, err)
		}
		apitest.Status(http.StatusBadGateway, "").ServeHTTP(w, r)
	}), mayRetire, retries(3))
	if _, err := c.RequestRetirement(t.Context(), []byte(body)); api.KindOf(err) != api.ServerError || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestWhatHadNoEffectIsKnown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.Handler
		want   bool
	}{
		"a refusal":             {apitest.Status(422, `{"error":"SELL_ORDER_NOT_LIVE","message":"gone"}`), true},
		"a key":                 {apitest.Status(401, "{}"), true},
		"a role":                {apitest.Status(403, "{}"), true},
		"a limit":               {apitest.RateLimited("1"), true},
		"a wrong address":       {apitest.Status(404, "{}"), false},
		"a bad request":         {apitest.Status(400, "{}"), false},
		"a limit of size":       {apitest.Status(413, "{}"), false},
		"a page with 422":       {apitest.Status(422, "<html>no</html>"), false},
		"422 without a body":    {apitest.Status(422, ""), false},
		"an unknown refusal":    {apitest.Status(422, `{"error":"CALL_UNDER_WAY","message":"no"}`), false},
		"a redirect":            {apitest.Status(307, "{}"), true},
		"a time-out of a proxy": {apitest.Status(408, "{}"), false},
		"a conflict":            {apitest.Status(409, "{}"), false},
		"a broken service":      {apitest.Status(500, "{}"), false},
		"a gateway":             {apitest.Status(504, "{}"), false},
		"a page":                {apitest.HTML(), false},
		"half an answer":        {apitest.CutOff(`{"retirement_request_id":"00m1"}`), false},
		"an empty answer":       {apitest.JSON(`{}`), false},
	} {
		c := newClient(t, tt.answer, mayRetire)
		if _, err := c.RequestRetirement(t.Context(), []byte("{}")); err == nil || api.HadNoEffect(err) != tt.want {
			t.Errorf("%s: %v had no effect: %t", name, err, api.HadNoEffect(err))
		}
	}
}

func TestCallWithoutConnectionHadNoEffect(t *testing.T) {
	t.Parallel()
	c, err := api.New(api.Options{BaseURL: "http://127.0.0.1:1", Key: "k", MayRetire: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RequestRetirement(t.Context(), []byte("{}")); !api.HadNoEffect(err) {
		t.Errorf("err = %v", err)
	}
}
