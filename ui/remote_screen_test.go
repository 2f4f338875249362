package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// count returns how often a text was written.
func (w *farScreen) count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(w.text.String(), text)
}

func TestARemoteTerminalOfAnotherSizeIsDrawnAnew(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	out, keys, ended := remoteRun(t, messages)
	out.await(t, "tonne  ")
	drawn := out.count("tonne  ")
	// A terminal that was larger and smaller again may tell the same size twice.
	messages <- Resized{80, 24}
	for out.count("tonne  ") == drawn {
		select {
		case <-out.news:
		case <-time.After(20 * time.Second):
			t.Fatal("nothing is drawn")
		}
	}
	_ = keys.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWhatIsForTheTerminalItselfReachesARemoteOne(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	out, keys, ended := remoteRun(t, messages)
	const copied = "\x1b]52;c;JDYuMjA=\a"
	messages <- tea.RawMsg{Msg: copied}
	out.await(t, copied)
	_ = keys.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if out.count(copied) != 1 || out.count("\x1b[?1049h") != 1 || out.count("\x1b[?1049l") != 1 {
		t.Error("it is not written once, or the terminal is not taken and left once")
	}
}
