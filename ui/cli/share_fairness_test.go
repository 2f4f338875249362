//go:build unix

package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
)

// manyIDs returns n ids of a person, one per line.
func manyIDs(person string, n int) string {
	var ids strings.Builder
	for i := range n {
		fmt.Fprintf(&ids, "00m%s%d\n", person, i)
	}
	return ids.String()
}

func TestLookUpsAreSharedFairlyBetweenPeople(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	s := new(service)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond)
		s.ServeHTTP(w, r)
	})
	d := shareOver(t, apitest.Transport(slow), nil, nil, ada.line(""), ben.line(""))
	lookUps := func(person string) (count, between int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		mine := "id=00m" + person
		first, last := -1, -1
		for n, path := range s.requests {
			if strings.Contains(path, mine) {
				if count++; first < 0 {
					first = n
				}
				last = n
			}
		}
		return count, last - first + 1 - count
	}
	client := d.dial(ada)
	for range 9 {
		many, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		many.Stdin = strings.NewReader(manyIDs("ada", 10_000))
		if err := many.Start("retirement --file - -o csv"); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		if n, _ := lookUps("ada"); n > 200 || time.Now().After(deadline) {
			break
		}
	}
	d.ssh(ben, manyIDs("ben", 200), "retirement", "--file", "-", "-o", "csv")
	_ = client.Close()
	if n, between := lookUps("ben"); n != 200 || between > 4*n {
		t.Errorf("%d look-ups of one person take as long as %d of another with nine commands", n, between)
	}
}
