//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/model/store"
)

// fillLedger adds complete requests to the ledger of a person before the first login.
func (d *shared) fillLedger(person string, requests int) {
	d.t.Helper()
	dir := filepath.Join(d.world.env["XDG_STATE_HOME"], "tonne", "share", "people", "person-"+person)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	own := store.Open(filepath.Join(dir, "tonne.db"))
	defer own.Close()
	ids, answers := make([]string, requests), make([]store.LookUp, requests)
	for n := range requests {
		a := &retirement.Request{
			ID: fmt.Sprintf("00m%015d", n), Status: retirement.Complete, Type: retirement.Whole, ProjectID: "003", VintageID: "004", TotalQuantity: 200e6,
			CreatedAt: model.At(time.Unix(1.7e9, 0)), RetiredAt: model.At(time.Unix(1.71e9, 0)), CertificateURL: fmt.Sprintf("https://files.example/%d.pdf", n),
		}
		for i := range 2 {
			start := n*1000 + i*100
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("ACR-FR-%d-2025-2917-%d to %d", i, start, start+99))
			a.Items = append(a.Items, retirement.Item{
				ID: fmt.Sprintf("00p%d%014d", i, n), Quantity: 100e6, InvoiceID: fmt.Sprintf("00i%015d", n/10), TradeID: fmt.Sprintf("00t%d%014d", i, n),
				RetireeName: fmt.Sprintf("Customer %d Ltd", n%500), RetireeTaxID: fmt.Sprintf("FR%09d", n%500), RetireeCountry: "FR",
			})
		}
		ids[n], answers[n] = a.ID, store.LookUp{ID: a.ID, At: time.Now(), Answer: a}
	}
	if err := own.Of(baseURL).Ledger.Remember(d.t.Context(), time.Now(), ids...); err != nil {
		d.t.Fatal(err)
	}
	if err := own.Of(baseURL).Ledger.Record(d.t.Context(), answers...); err != nil {
		d.t.Fatal(err)
	}
}

// heapInUse returns the size of the live heap in bytes.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestShareUserNeedsAtMost3MiB(t *testing.T) {
	// Not parallel, because it measures the heap of the process.
	const requests, more = 500, 4
	ada := newPerson(t, "ada")
	d := startShare(t, ada.line(`person="ada"`))
	d.fillLedger("ada", requests)
	client := d.dial(ada)
	// open starts a session and searches the ledger, so that the search index exists.
	open := func() {
		f := d.openDashboard(client, true)
		f.await(0, "at the desk")
		f.press("3")
		f.await(0, fmt.Sprintf("00m%015d", requests-1))
		f.press(fmt.Sprintf("/00p1%014d", 5))
		f.await(0, fmt.Sprintf("00m%015d", 5))
		f.press("\x1b")
	}
	open()
	first := heapInUse()
	for range more {
		open()
	}
	if each := (heapInUse() - first) / more; each > 3<<20 {
		t.Errorf("%d kB of heap per session", each>>10)
	} else {
		t.Logf("%d kB of heap per session", each>>10)
	}
}
