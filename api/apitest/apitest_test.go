package apitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"tonne/api/apitest"
	must "tonne/model/musttest"
)

func get(h http.Handler) (status int, body string, err error) {
	client := http.Client{Transport: apitest.Transport(h)}
	response, err := client.Get("http://market.example/api/market")
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return response.StatusCode, string(read), err
}

func TestFaultsAreWhatTheirNamesSay(t *testing.T) {
	t.Parallel()
	status, body, err := get(apitest.Sequence(apitest.Status(500, "{}"), apitest.JSON(`{"a":1}`)))
	must.Hold(t, status == 500 && body == "{}" && err == nil, status, body, err)
	status, body, err = get(apitest.HTML())
	must.Hold(t, status == 200 && strings.Contains(body, "<html") && err == nil, status, body, err)
	_, _, err = get(apitest.Reset())
	must.Hold(t, err != nil, "a connection that is reset gives an answer")
	const whole = `{"projects":[]}`
	_, body, err = get(apitest.CutOff(whole))
	must.Hold(t, err != nil && len(body) < len(whole), body, err)
}

// Tests of retirements count on a fake service that sells nothing that it does not have.
func TestMarketSellsAnOrderOnce(t *testing.T) {
	t.Parallel()
	market := apitest.NewMarket(t, apitest.Order{ID: "o", VintageID: "v", Tonnes: 2, Price: 500})
	market.Calm()
	client := http.Client{Transport: apitest.Transport(market)}
	for _, id := range []string{"a", "a", "b", "c"} {
		body := `{"vintage_id":"v","quantity_grams":"1000000","external_id":"` + id +
			`","sell_order_id":"o","expected_price_cents":"500"}`
		response := must.Get(client.Post("http://market.example/api/request-retirement", "application/json",
			strings.NewReader(body)))
		must.Succeed(t, response.Body.Close())
	}
	must.Equal(t, market.Posts(), 4)
	must.Equal(t, market.Retired(), 2_000_000)
}
