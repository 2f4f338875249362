package mailbox_test

import (
	"sync"
	"testing"

	"tonne/api/mailbox"
)

func TestItemsAreTakenOnceInTheOrderOfEachPoster(t *testing.T) {
	t.Parallel()
	const posters, each = 4, 1000
	m := mailbox.New[[2]int]()
	var posting sync.WaitGroup
	for p := range posters {
		posting.Go(func() {
			for n := range each {
				m.Post([2]int{p, n})
			}
		})
	}
	var next [posters]int
	for taken := 0; taken < posters*each; {
		<-m.Some()
		for _, item := range m.Take() {
			if item[1] != next[item[0]] {
				t.Fatalf("poster %d: item %d comes, want %d", item[0], item[1], next[item[0]])
			}
			next[item[0]]++
			taken++
		}
	}
	posting.Wait()
	if left := m.Take(); len(left) != 0 {
		t.Errorf("%d items are left", len(left))
	}
}
