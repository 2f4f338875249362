package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

func (w *farScreen) count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(w.text.String(), text)
}

func (w *farScreen) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Len()
}

func TestResizedRemoteTerminalIsRedrawn(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	out, keys, ended := remoteRun(t, messages)
	out.await(t, "tonne  ")
	drawn := out.count("tonne  ")
	// A terminal that grew and shrank again may report the same size twice.
	messages <- tea.WindowSizeMsg{Width: 80, Height: 24}
	for out.count("tonne  ") == drawn {
		select {
		case <-out.news:
		case <-time.After(20 * time.Second):
			t.Fatal("no redraw")
		}
	}
	_ = keys.Close()
	must.Succeed(t, <-ended)
}

func TestEscapeSequencesReachRemoteTerminal(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	out, keys, ended := remoteRun(t, messages)
	const copied = "\x1b]52;c;JDYuMjA=\a"
	messages <- tea.RawMsg{Msg: copied}
	out.await(t, copied)
	_ = keys.Close()
	must.Succeed(t, <-ended)
	must.Hold(t, out.count(copied) == 1 && out.count("\x1b[?1049h") == 1 && out.count("\x1b[?1049l") == 1,
		"not written exactly once, or the terminal is not set up and restored exactly once")
}

// polled is a feed of the events that a test sends.
type polled struct {
	*uitest.Feed
	news chan []session.Event
}

func (p polled) Next(ctx context.Context) ([]session.Event, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case events := <-p.news:
		return events, nil
	}
}

// polling runs a dashboard with a market on a remote terminal in synthetic time (testing/synctest).
func polling(t *testing.T, test func(poll func(age time.Duration), out *farScreen, keys io.Writer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, keys := io.Pipe()
		out := &farScreen{news: make(chan struct{}, 1)}
		news := make(chan []session.Event)
		ended := make(chan error, 1)
		go func() {
			ended <- Run(t.Context(), Options{
				Feed: polled{&uitest.Feed{}, news}, Host: "market.example", Input: in, Output: out, Theme: "dark",
				Remote: &Remote{Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, Width: 120, Height: 36},
			})
		}()
		market := uitest.Market(0)
		poll := func(age time.Duration) {
			status := session.Status{State: session.Live, At: time.Now().Add(-age)}
			news <- []session.Event{session.MarketEvent{Status: status, Generation: 1, Market: market}}
		}
		poll(0)
		time.Sleep(time.Second / 2)
		test(poll, out, keys)
		_ = keys.Close()
		must.Succeed(t, <-ended)
		// Let the timers of the program run once more.
		time.Sleep(time.Minute)
	})
}

func TestUnchangedPollIsNotDrawn(t *testing.T) {
	t.Parallel()
	polling(t, func(poll func(time.Duration), out *farScreen, _ io.Writer) {
		// A little more than two seconds after the first poll.
		time.Sleep(1700 * time.Millisecond)
		before := out.size()
		for range 10 {
			poll(2 * time.Second)
			time.Sleep(10 * time.Millisecond)
		}
		n := out.size() - before
		must.Hold(t, n <= 0, n)
		poll(0)
		time.Sleep(1500 * time.Millisecond)
		if n := out.size() - before; n == 0 || n > 200 {
			t.Errorf("%d bytes written for two changes of an age", n)
		}
	})
}

func TestRemoteKeyIsHandledBeforePendingFrames(t *testing.T) {
	t.Parallel()
	polling(t, func(_ func(time.Duration), out *farScreen, keys io.Writer) {
		time.Sleep(200 * time.Millisecond)
		before, began := out.count("WALLET"), time.Now()
		_, _ = keys.Write([]byte("2"))
		synctest.Wait()
		must.Hold(t, out.count("WALLET") == before+1 && time.Since(began) == 0,
			"the tab is not shown", time.Since(began))
	})
}
