package suspend

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
)

// model suspends its program at the start, and then counts.
type model struct {
	stop func() error
	back chan<- Back
	n    int
}

type count struct{}

func (m model) Init() tea.Cmd { return exec(m.stop) }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case Back:
		m.back <- msg
	case count:
		m.n++
	}
	return m, nil
}

func (m model) View() tea.View { return tea.NewView("count " + strconv.Itoa(m.n)) }

// screen records the output of a program.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
	return s.text.Write(text)
}

// input returns an input without keys.
func input(t *testing.T) *os.File {
	t.Helper()
	in, keys, err := os.Pipe()
	must.Succeed(t, err)
	t.Cleanup(func() { _, _ = in.Close(), keys.Close() })
	return in
}

// program runs a program that suspends itself at the start.
func program(t *testing.T, stop func() error, in io.Reader, out io.Writer) (*tea.Program, <-chan Back) {
	t.Helper()
	back := make(chan Back, 1)
	p := tea.NewProgram(model{stop: stop, back: back}, tea.WithContext(t.Context()), tea.WithInput(in),
		tea.WithOutput(out), tea.WithWindowSize(20, 5), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = p.Run()
	}()
	t.Cleanup(func() {
		<-ended
	})
	return p, back
}

// longest is the timeout of a test.
const longest = 2 * time.Minute

func await[T any](t *testing.T, what string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(longest):
		t.Fatalf("no %s in time", what)
	}
	return value
}

// A late old renderer usually stopped the clock of the new one.
func TestScreenIsDrawnAfterShortSuspension(t *testing.T) {
	for range 20 {
		out := &screen{news: make(chan struct{}, 1)}
		p, back := program(t, func() error { return nil }, input(t), out)
		got := await(t, "the terminal", back)
		must.Need(t, got == (Back{}), "the message", got)
		select {
		case <-out.news:
		default:
		}
		p.Send(count{})
		await(t, "a frame", out.news)
		p.Quit()
		p.Wait()
	}
}

func TestBackReportsThatTheProgramStayed(t *testing.T) {
	_, back := program(t, func() error { return errNoShell }, input(t), io.Discard)
	must.Equal(t, await(t, "the terminal", back), (Back{Stayed: true}), "the message")
}

func TestBackReportsLostTerminal(t *testing.T) {
	for name, came := range map[string]error{"stopped": nil, "stayed": errNoShell} {
		in := input(t)
		gone := func() error {
			_ = in.Close()
			return came
		}
		_, back := program(t, gone, in, io.Discard)
		got := await(t, "the outcome", back)
		must.Hold(t, got.Err != nil, name, got)
	}
}

// door is a screen whose Hold blocks.
type door struct {
	io.Writer
	held     chan struct{}
	released chan struct{}
}

func (d *door) Hold() (release func()) {
	d.held <- struct{}{}
	return func() { close(d.released) }
}

func TestTerminalIsHeldWhileItIsRestored(t *testing.T) {
	d := &door{io.Discard, make(chan struct{}), make(chan struct{})}
	_, back := program(t, func() error { return nil }, input(t), d)
	select {
	case <-back:
		t.Error("the terminal is restored before Hold returns")
	case <-d.released:
		t.Error("the hold is released before the terminal is restored")
	case <-d.held:
	}
	await(t, "the terminal", back)
	await(t, "the release", d.released)
}
