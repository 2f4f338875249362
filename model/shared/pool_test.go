package shared

import (
	"runtime"
	"strconv"
	"testing"
)

type value struct{ text string }

// of returns the value with a text that somebody holds, or a new one.
func of(p *Pool[string, value], text string) *value {
	return p.One(text, func(known *value) *value {
		if known != nil {
			return known
		}
		return &value{text}
	})
}

func TestAValueThatSomebodyHoldsIsThereOnce(t *testing.T) {
	t.Parallel()
	var p Pool[string, value]
	first, other := of(&p, "a"), of(&p, "b")
	if again := of(&p, "a"); again != first || other == first {
		t.Errorf("the values are %p, %p and %p", first, again, other)
	}
	next := p.One("a", func(*value) *value { return &value{"a"} })
	if again := of(&p, "a"); again != next || again == first {
		t.Errorf("the newest is %p, and %p is there", next, again)
	}
	if none := p.One("a", func(*value) *value { return nil }); none != nil || of(&p, "a") != next {
		t.Error("none takes the place of one")
	}
	first, again := of(nil, "a"), of(nil, "a")
	if first == again {
		t.Error("a pool that is none shares")
	}
}

func TestAPoolForgetsWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	var p Pool[string, value]
	held := of(&p, "held")
	for round := range 100 {
		for n := range 1000 {
			of(&p, strconv.Itoa(round*1000+n))
		}
		runtime.GC()
	}
	if n := len(p.known); n > 10_000 {
		t.Errorf("of 100,000 values that nobody holds, it has %d", n)
	}
	if of(&p, "held") != held {
		t.Error("it forgot one that is held")
	}
}
