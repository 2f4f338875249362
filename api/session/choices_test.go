package session_test

import (
	"testing"
	"time"
)

func TestChoicesAreKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{record: true})
		me.expect("choices map[]")
		me.Choose("market.desk", "on")
		me.expect("choices map[market.desk:on]")
		me.Choose("market.desk", "on")
		me.Choose("other", "1")
		me.expect("choices map[market.desk:on other:1]")
		me.Choose("other", "")
		me.expect("choices map[market.desk:on]")
		second := f.start(with{record: true})
		second.Choose("view", "1")
		second.end()
		wait(61 * time.Second)
		me.expect("choices map[market.desk:on view:1]")
		me.end()
		next := f.start(with{record: true})
		next.expect("choices map[market.desk:on view:1]")
	})
}
