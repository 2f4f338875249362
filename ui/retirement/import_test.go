package retirement

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
)

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

func TestLongPasteIsParsedInBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	read := r.CarryOut(r.tab.Input(tea.PasteMsg{Content: strings.Repeat(idA+"\n"+idB+"\n"+idC+"\n", 2000) + "00m000000000000004"}))
	must.Hold(t, r.Panel == nil && len(r.feed.Requests()) == 0, "the text was parsed in the foreground")
	r.Run(read)
	must.Hold(t, r.asked("add "+idA) == 1 && r.asked("add 00m000000000000004") == 1, "calls", r.feed.Asked)
}
