package ui

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model/file/localfile"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// newRemoteRobot returns a robot on a remote terminal. The test fails if it touches this machine.
func newRemoteRobot(t testing.TB, width, height int) *robot {
	t.Helper()
	r := newRobotWith(t, width, height, func(o *Options) {
		o.Remote = &Remote{Environ: []string{"TERM=xterm-256color"}, Width: width, Height: height}
		o.CertificateDir = "/srv/certificates"
		o.Safe = func(string) (string, error) { return "registry.example", nil }
		o.Browse = func(context.Context, string) error { t.Error("a browser is opened"); return nil }
		o.Files = untouched{t: t}
		o.WriteEvidence = func(context.Context, audit.File) (audit.Written, error) {
			t.Error("evidence is written")
			return audit.Written{}, nil
		}
		o.ReadCertificate = func(context.Context, string) (c pdftext.Content, err error) { return c, err }
	})
	r.settle()
	return r
}

// untouched fails the test if a file is written.
type untouched struct {
	localfile.Machine
	t testing.TB
}

func (u untouched) Create(string, []byte) error {
	u.t.Error("a file is written")
	return nil
}

func atDesk(names ...string) session.PresenceEvent {
	var e session.PresenceEvent
	for n, name := range names {
		since := uitest.Now.Add(-time.Duration(n+1) * time.Hour)
		e.People = append(e.People, session.Person{ID: name, Name: name, Since: since})
	}
	return e
}

func TestSharedDeskCannotTouchTheMachine(t *testing.T) {
	t.Parallel()
	r := newRemoteRobot(t, 120, 36)
	refused := func(ways ...string) {
		t.Helper()
		for _, way := range ways {
			key, way, _ := strings.Cut(way, ": ")
			r.Press(key)
			r.Sees("A shared desk has no files: " + way)
			must.Hold(t, !r.app.dialog.shown(), key)
			r.app.toast = toast{}
		}
	}
	refused("e: ssh DESK market -o csv")
	r.ShowInventory()
	refused("e: ssh DESK inventory -o csv")
	r.ShowRetirements()
	r.SeesNot("reads a file")
	refused("d: o shows the address", "X: o shows the address", "p: o shows the address",
		"e: ssh DESK retirement ID --evidence - -o csv",
		"E: ssh DESK retirement ID... --evidence - -o csv",
		"S: ssh DESK statement --fiscal-year "+uitest.Now.Format("2006")+" -o csv", "I: ssh DESK retirement --file - < FILE")
	for _, asked := range r.feed.Asked {
		must.Hold(t, !strings.HasPrefix(asked, "save"), asked)
	}
	must.Hold(t, r.app.view.Files.Create("x.csv", nil) != nil, "a table can be saved without its key")
	must.Hold(t, r.app.o.ReadCertificate == nil, "certificates on this machine are read")
}

// machine matches the help of bindings that use the machine, except known harmless ones.
var machine = []string{"file", "write", "save", "download", "import", "export", "evidence", "pack", "statement"}

// A new binding that matches must set Machine or be added to the harmless ones.
func TestFileKeysAreOffOnSharedDesk(t *testing.T) {
	t.Parallel()
	r := newRemoteRobot(t, 120, 36)
	off := 0
	for _, tab := range r.app.tabs[:recordedTab] {
		for _, g := range tab.Groups() {
			for _, b := range g.Bindings {
				touches := slices.ContainsFunc(machine,
					func(word string) bool { return strings.Contains(strings.ToLower(b.Help), word) })
				must.Hold(t, !touches || b.Machine, b.Name, b.Help)
				if b.Machine {
					off++
				}
				must.Hold(t, !b.Machine || instead[b.Name] != "", "no replacement for", b.Name, b.Help)
			}
		}
	}
	must.Hold(t, off >= 8, "only", off)
}

// Keys of two machines often have the same comment.
func TestPeopleWithOneNameAreApart(t *testing.T) {
	t.Parallel()
	r := newRemoteRobot(t, 120, 36)
	r.app.o.Who, r.app.o.Remote.ID = "ada@laptop", "key-2"
	r.hear(session.PresenceEvent{People: []session.Person{
		{ID: "key-1", Name: "ada@laptop", Since: uitest.Now}, {ID: "key-2", Name: "ada@laptop", Since: uitest.Now},
	}})
	r.Press("@")
	r.Sees("2 at the desk")
	r.Sees(" you  since")
	r.SeesNot("2 terminals")
}

func manyPeople() session.PresenceEvent {
	var names []string
	for n := range 60 {
		names = append(names, fmt.Sprintf("person-%02d", n))
	}
	return atDesk(names...)
}

// farScreen records the output of a remote terminal.
type farScreen struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (w *farScreen) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	return w.text.Write(b)
}

func (w *farScreen) await(t *testing.T, text string) {
	t.Helper()
	for {
		w.mu.Lock()
		there := strings.Contains(w.text.String(), text)
		w.mu.Unlock()
		if there {
			return
		}
		select {
		case <-w.news:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%q was not written", text)
		}
	}
}

// idleFeed is a feed without events.
type idleFeed struct{ *uitest.Feed }

func (idleFeed) Next(ctx context.Context) ([]session.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func remoteRun(t *testing.T, messages chan tea.Msg) (out *farScreen, keys *io.PipeWriter, ended chan error) {
	t.Helper()
	in, keys := io.Pipe()
	out = &farScreen{news: make(chan struct{}, 1)}
	ended = make(chan error, 1)
	o := Options{
		Feed: idleFeed{&uitest.Feed{}}, Host: "market.example", Input: in, Output: out,
		Remote: &Remote{Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, Width: 80, Height: 24,
			Watch: func(ctx context.Context, send func(tea.Msg)) {
				for {
					select {
					case <-ctx.Done():
						return
					case msg := <-messages:
						send(msg)
					}
				}
			}},
	}
	go func() {
		err := Run(t.Context(), o)
		_ = in.Close() // as the SSH server does
		ended <- err
	}()
	return out, keys, ended
}

func TestRemoteTerminalThatIsResizedAtTheStartKeepsItsNewSize(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	messages <- tea.WindowSizeMsg{Width: 10, Height: 3}
	out, keys, ended := remoteRun(t, messages)
	out.await(t, "10×3")
	_ = keys.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_, after, _ := strings.Cut(out.text.String(), "10×3")
	if strings.Contains(after, "Inventory") {
		t.Errorf("the first size is back: %q", after)
	}
}

func TestRemoteTerminalHasOwnSizeColoursAndEnd(t *testing.T) {
	messages := make(chan tea.Msg, 1)
	out, keys, ended := remoteRun(t, messages)
	out.await(t, "\x1b]11;?") // asks for the background
	out.await(t, "38;2;")     // draws in true colour
	messages <- tea.WindowSizeMsg{Width: 10, Height: 3}
	out.await(t, "10×3")
	for _, size := range []tea.WindowSizeMsg{{Width: 1, Height: 1}, {Width: 500, Height: 200}, {Width: 80, Height: 24}} {
		messages <- size
	}
	_ = keys.Close()
	must.Succeed(t, <-ended)
	out.await(t, "\x1b[?1049l")
}

// Bubble Tea's own reader blocks forever on a key after the end of the program.
func TestRemoteKeysAfterTheEndDoNotLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	const people = 10
	for range people {
		out, keys, ended := remoteRun(t, nil)
		out.await(t, "tonne")
		go func() {
			for range 50 {
				_, _ = keys.Write([]byte("qjjjjjjjjjjjjjjjjjjj"))
			}
			_ = keys.Close()
		}()
		must.Succeed(t, <-ended)
	}
	left := runtime.NumGoroutine()
	for deadline := time.Now().Add(10 * time.Second); left > before &&
		time.Now().Before(deadline); left = runtime.NumGoroutine() {
		runtime.Gosched()
	}
	if left > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines leaked:\n%s", left-before, stacks[:runtime.Stack(stacks, true)])
	}
}

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
