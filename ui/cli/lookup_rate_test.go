package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestLookUpsAreNotThrottledWithoutServiceLimit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, http.HandlerFunc(many))
		var ids strings.Builder
		for i := range 200 {
			fmt.Fprintf(&ids, "R%d0\n", i)
		}
		started := time.Now()
		got := w.must("retirement", "--file", w.write("ids.txt", ids.String()), "-o", "csv")
		if took := time.Since(started); took > time.Second || strings.Count(got, "\n") != 201 {
			t.Errorf("%d lines after %v", strings.Count(got, "\n"), took)
		}
	})
}
