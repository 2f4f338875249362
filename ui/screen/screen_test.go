package screen_test

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/screen"
	"tonne/ui/style"
)

const (
	width, height = 24, 5
	every         = 50 * time.Millisecond
)

// terminal simulates a terminal with cells, a title and modes.
type terminal struct {
	t      interface{ Errorf(string, ...any) }
	cells  uv.ScreenBuffer
	title  string
	modes  map[string]bool
	x, y   int
	writes []string
	mu     sync.Mutex
}

func newTerminal(t interface{ Errorf(string, ...any) }) *terminal {
	return &terminal{t: t, cells: uv.NewScreenBuffer(width, height), modes: make(map[string]bool)}
}

// Write interprets a text.
func (s *terminal) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, string(b))
	for rest := string(b); rest != ""; {
		rest = s.obey(rest)
	}
	return len(b), nil
}

// obey interprets the start of a text and returns the rest.
func (s *terminal) obey(text string) (rest string) {
	if title, behind, ok := strings.Cut(text, "\a"); ok && strings.HasPrefix(text, "\x1b]2;") {
		s.title = strings.TrimPrefix(title, "\x1b]2;")
		return behind
	}
	if !strings.HasPrefix(text, "\x1b[") {
		return s.print(text)
	}
	size := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' }) + 2
	args, rest := text[2:size], text[size+1:]
	switch mode, private := strings.CutPrefix(args, "?"); {
	case text[size] == 'm' && !strings.HasPrefix(args, ">"):
		return s.print(text)
	case text[size] == 'H':
		s.x, s.y = 0, max(number(args)-1, 0)
	case text[size] == 'G':
		s.x = number(args) - 1
	case text[size] == 'J' && args == "2":
		s.cells.Clear()
	case text[size] == 'J':
		s.cells.ClearArea(uv.Rect(0, s.y, width, height))
	case text[size] == 'K':
		s.cells.ClearArea(uv.Rect(s.x, s.y, width-s.x, 1))
	case private && (text[size] == 'h' || text[size] == 'l'):
		s.modes[mode] = text[size] == 'h'
	case strings.ContainsRune("muq", rune(text[size])):
		s.modes[args+text[size:size+1]] = true
	default:
		s.t.Errorf("unknown sequence %q", text[:size+1])
	}
	return rest
}

// print draws styled text, up to the next sequence that is not a style.
func (s *terminal) print(text string) (rest string) {
	end := 0
	for end < len(text) && (text[end] != '\x1b' || styles(text[end:])) {
		end++
		end += strings.IndexByte(text[end:]+"\x1b", '\x1b')
	}
	styled := uv.NewStyledString(text[:end])
	cells := ansi.StringWidth(text[:end])
	if cells > width-s.x || s.y >= height {
		s.t.Errorf("%d cells at %d, %d", cells, s.x, s.y)
	}
	if cells > 0 {
		styled.Draw(s.cells, uv.Rect(s.x, s.y, cells, 1))
	}
	s.x += cells
	return text[end:]
}

// styles reports whether a text starts with a style or a link.
func styles(text string) bool {
	final := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	return strings.HasPrefix(text, "\x1b]8;") || strings.HasPrefix(text, "\x1b\\") ||
		final >= 0 && text[2+final] == 'm' && text[2] != '>'
}

// pause lets time pass, and pending frames be written.
func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// shows returns all cells with their styles.
func shows(cells uv.ScreenBuffer) string {
	var all strings.Builder
	for y := range height {
		for x := range width {
			c := cells.CellAt(x, y)
			fmt.Fprintf(&all, "%d,%d %q %+v %v\n", x, y, c.Content, c.Style, c.Link)
		}
	}
	return all.String()
}

// view returns a frame of lines. Each word has its own style.
func view(lines ...[]string) tea.View {
	block := style.NewBlock(style.NewTheme(style.Dark), width, height)
	for _, words := range lines {
		line := block.Line(style.Plain)
		for n, word := range words {
			line.Put(style.Role(1+n%5), word)
		}
	}
	v := tea.NewView(block.String())
	v.WindowTitle = "title"
	return v
}

// on runs a screen on a terminal in a synctest bubble.
func on(t *testing.T, profile colorprofile.Profile, test func(s *screen.Screen, out *terminal, leave func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		out := newTerminal(t)
		s := screen.New(out, profile, every)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		leave := sync.OnceFunc(func() {
			cancel()
			must.Succeed(t, <-ended)
		})
		defer leave()
		synctest.Wait()
		test(s, out, leave)
	})
}

func TestTerminalShowsTheNewestFrame(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"ask ", "bid ", "$6.20", "森林", "☠️", "●", "👍🏽", "  ", "e\u0301"}),
		0, 5)
	frames := rapid.SliceOfN(rapid.SliceOfN(words, height, height), 1, 6)
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		rapid.Check(t, func(t *rapid.T) {
			for _, lines := range frames.Draw(t, "frames") {
				v := view(lines...)
				if rapid.IntRange(0, 5).Draw(t, "clear") == 0 {
					s.Clear()
				}
				s.Show(v)
				if rapid.Bool().Draw(t, "in time") {
					pause(every)
				}
				pause(every)
				wanted := uv.NewScreenBuffer(width, height)
				uv.NewStyledString(v.Content).Draw(wanted, wanted.Bounds())
				out.mu.Lock()
				got := shows(out.cells)
				out.mu.Unlock()
				must.Need(t, got == shows(wanted), v.Content, got)
			}
		})
	})
}

func TestUnchangedFrameIsNotWritten(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		s.Show(view([]string{"a"}, []string{"b"}))
		pause(time.Second)
		written := len(out.writes)
		for range 100 {
			s.Show(view([]string{"a"}, []string{"b"}))
			pause(every)
		}
		more := out.writes[written:]
		must.Hold(t, len(more) == 0, more)
		s.Clear()
		s.Show(view([]string{"a"}, []string{"b"}))
		pause(every)
		if more := strings.Join(out.writes[written:], ""); !strings.Contains(more, "\x1b[2J") {
			t.Errorf("after a change of the size only %q is written", more)
		}
	})
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		s.Show(view([]string{"first ", "4s", " ago"}, []string{"second"}))
		pause(time.Second)
		s.Show(view([]string{"first ", "5s", " ago"}, []string{"second"}))
		pause(time.Second)
		last := out.writes[len(out.writes)-1]
		must.Hold(t, !strings.Contains(last, "first") && !strings.Contains(last, "second") &&
			strings.Contains(last, "\x1b[1H\x1b[7G") && len(last) <= 60,
			last)
	})
}

func TestFramesAreRateLimited(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		count := func() int { out.mu.Lock(); defer out.mu.Unlock(); return len(out.writes) }
		before := count()
		s.Show(view([]string{"first"}))
		synctest.Wait()
		must.Equal(t, count()-before, 1)
		for n := range 100 {
			s.Show(view([]string{"frame " + strconv.Itoa(n)}))
			pause(every / 10)
		}
		pause(every)
		n := count() - before
		must.Hold(t, n >= 10 && n <= 12, n)
		last := out.writes[len(out.writes)-1]
		must.Hold(t, strings.Contains(last, "frame 99"), "the newest frame is not shown", last)
	})
}

func TestCursorOutsideTheNewSizeIsHidden(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		v := view([]string{"filter"})
		v.Cursor = tea.NewCursor(3, 2)
		s.Show(v)
		pause(every)
		s.Clear()
		s.Show(view([]string{"too small"}))
		pause(every)
		must.Hold(t, !out.modes["25"], "the cursor is still visible")
	})
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, leave func()) {
		v := view([]string{"a"})
		v.MouseMode = tea.MouseModeCellMotion
		v.Cursor = tea.NewCursor(3, 2)
		s.Show(v)
		pause(every)
		for mode, on := range map[string]bool{"1049": true, "7": false, "25": true, "1002": true, "1006": true, "1004": true,
			"2004": true, "2026": false} {
			must.Equal(t, out.modes[mode], on, "mode", mode)
		}
		must.Hold(t, out.title == "title" && out.x == 3 && out.y == 2, "title", out.title, out.x, out.y)
		v.Cursor, v.MouseMode = nil, tea.MouseModeNone
		s.Show(v)
		pause(every)
		must.Hold(t, !out.modes["25"] && !out.modes["1002"], "the cursor is visible, or the mouse is enabled")
		leave()
		text := strings.Join(out.writes, "")
		must.Hold(t, strings.Count(text, "\x1b[>1u") == 1 && strings.Count(text, "\x1b[<1u") == 1,
			"the mode of the keyboard is not restored")
		for mode, on := range out.modes {
			must.Hold(t, on == (mode == "7" || mode == "25") || strings.ContainsAny(mode, "muq"), "mode", mode, on)
		}
		must.Equal(t, out.title, "", "the title is still")
	})
}

func TestColoursMatchTheProfile(t *testing.T) {
	t.Parallel()
	for profile, want := range map[colorprofile.Profile]string{
		colorprofile.TrueColor: "38;2;", colorprofile.ANSI256: "38;5;", colorprofile.ANSI: "\x1b[;",
		colorprofile.ASCII: "\x1b[m",
	} {
		on(t, profile, func(s *screen.Screen, out *terminal, _ func()) {
			s.Show(view([]string{"a", "b", "c"}))
			pause(every)
			text := strings.Join(out.writes, "")
			must.Hold(t, strings.Contains(text, want) && (profile == colorprofile.TrueColor ||
				!strings.Contains(text, "38;2;")) && (profile != colorprofile.ASCII || !strings.Contains(text, "38;")),
				profile, text)
		})
	}
}

func TestSentSequencesAreWrittenOnceAndInOrder(t *testing.T) {
	t.Parallel()
	on(t, colorprofile.TrueColor, func(s *screen.Screen, out *terminal, _ func()) {
		before := len(out.writes)
		s.Send("\x1b]2;one\a")
		s.Send("\x1b]2;two\a")
		pause(time.Second)
		must.Equal(t, strings.Join(out.writes[before:], ""), "\x1b]2;one\a\x1b]2;two\a")
	})
}

func TestBlockedTerminalBlocksNoCallerAndItsQueueIsBounded(t *testing.T) {
	t.Parallel()
	for _, leaves := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			// A write blocks until it is read.
			terminal, out := io.Pipe()
			s := screen.New(out, colorprofile.TrueColor, every)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Run(ctx) }()
			for n := range 100 {
				s.Show(view([]string{strconv.Itoa(n)}))
				s.Send("\x1b]52;c;" + strings.Repeat("A", 100_000) + strconv.Itoa(n) + "\a")
			}
			if leaves {
				_ = terminal.Close()
				must.Fail(t, <-ended, io.ErrClosedPipe)
				cancel()
				return
			}
			read := make(chan string)
			go func() {
				text, _ := io.ReadAll(terminal)
				read <- string(text)
			}()
			pause(every)
			cancel()
			must.Succeed(t, <-ended)
			_ = out.Close()
			text := <-read
			must.Hold(t, len(text) <= 1<<20+3000, len(text))
			must.Hold(t, strings.Contains(text, "A99\a"), "the newest copy was dropped")
		})
	}
}
