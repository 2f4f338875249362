package demo

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/marketplacetest"
	"tonne/model/retirement"
)

func TestPractisedRetirementGetsItsCertificate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, d := openDemo(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- Practise(ctx, m, 5*time.Second, slog.New(slog.DiscardHandler)) }()
		synctest.Wait()
		market, _ := d.Market("per_page=100")
		vintage := market.Vintage(market.Vintages() - 1)
		order := market.Order(int(vintage.First))
		answer := marketplacetest.Call(d.Service, d.Key, http.MethodPost, "/api/caas/request-retirement", fmt.Sprintf(
			`{"vintage_id":%q,"quantity_grams":"1000000","external_id":"x-1","sell_order_id":%q,"expected_price_cents":"%d"}`, vintage.ID, order.ID, order.Price))
		if answer.Code != http.StatusOK {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		_, id, _ := strings.Cut(answer.Body.String(), `"retirement_request_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		var states []retirement.Status
		for range 5 {
			synctest.Wait()
			states = append(states, d.Retirement(id).Status)
			time.Sleep(5 * time.Second)
		}
		synctest.Wait()
		got := d.Retirement(id)
		if got.Status != retirement.Complete || got.CertificateURL == "" || len(got.SerialNumbers) == 0 {
			t.Errorf("it is %+v after %v", got, states)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		d.CheckBooks()
	})
}
