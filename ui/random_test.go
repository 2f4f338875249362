package ui

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model/file/localfile"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// crowd is the number of messages of the random robots.
var crowd = longtest.Runs(3_000, 100_000)

var (
	robotSeed     = flag.Uint64("robot.seed", 0, "run one random robot, with this seed")
	robotMessages = flag.Int("robot.messages", crowd,
		"how many messages the random robots send together, or the one of -robot.seed")
)

// life is the number of messages of one robot. Many short runs find more than a few long ones,
// and are quick to repeat.
const life = 1000

// TestRandomInput sends crowd random messages: every key that a terminal can send, hostile data
// and any size. Nothing may panic, overflow the screen or reach the terminal unsanitised. The
// seeds are new each time; a failure prints how to repeat it.
func TestRandomInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the robots take their time")
	}
	if *robotSeed != 0 {
		unleash(t, *robotSeed, *robotMessages)
		return
	}
	for range *robotMessages / life {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			unleash(t, seed, life)
		})
	}
}

func unleash(t *testing.T, seed uint64, messages int) {
	c := newChance(t, seed)
	n := 0
	defer func() {
		cause := recover()
		must.Hold(t, cause == nil, "panic", cause, debug.Stack())
		if t.Failed() {
			t.Errorf("repeat with: go test ./ui -run TestRandomInput -robot.seed=%d -robot.messages=%d", seed, n)
		}
	}()
	for n < messages && !t.Failed() {
		n++
		c.do(c.message())
		c.look(t, n == messages)
	}
}

// do sends a message and follows its commands.
func (c *chance) do(msg tea.Msg) {
	_, cmd := c.r.app.Update(msg)
	c.follow(cmd)
	if due := c.r.feed.News(); len(due) > 0 {
		c.do(feedEvents{events: due})
	}
}

func (c *chance) follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, next := range msg {
			c.follow(next)
		}
	case tea.RawMsg:
		c.written = append(c.written, fmt.Sprint(msg.Msg))
	default:
		if !idle(msg) {
			c.do(msg)
		}
	}
}

// spoken matches the sequences that the dashboard writes in addition to frames: notifications
// and clipboard texts.
var spoken = regexp.MustCompile(`^(\x1b\]9;[^\x00-\x1f\x7f-\x9f]*\x07\x07|\x1b\]52;c;[A-Za-z0-9+/=]*(\x07|\x1b\\))$`)

// look draws the frame, as the runtime does after each message, and sometimes checks it.
func (c *chance) look(t *testing.T, last bool) {
	t.Helper()
	for _, raw := range c.written {
		must.Hold(t, spoken.MatchString(raw), raw)
	}
	c.written = c.written[:0]
	if !last && c.IntN(4) > 0 {
		return
	}
	view := c.r.app.View()
	width, height := c.r.app.width, c.r.app.height
	at := view.Cursor
	must.Hold(t, at == nil || at.X >= 0 && at.X < width && at.Y >= 0 && at.Y < height, width, height, at)
	if width <= 0 || height <= 0 || !last && c.IntN(4) > 0 {
		return
	}
	uitest.Exact(t, view.Content, width, height)
	uitest.Sound(t, view.Content)
}

// writeCertificate writes a picture and returns its path.
func writeCertificate(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "00mcomplete.png")
	var file bytes.Buffer
	err := png.Encode(&file, image.NewRGBA(image.Rect(0, 0, 30, 40)))
	err = errors.Join(err, os.WriteFile(path, file.Bytes(), 0o600))
	must.Succeed(t, err)
	return path
}

// newChance returns a robot for a dashboard with every option on.
func newChance(t *testing.T, seed uint64) *chance {
	return newChanceWith(t, seed, func(*Options) {})
}

// newChanceWith returns a robot for a dashboard with other options.
func newChanceWith(t *testing.T, seed uint64, choose func(*Options)) *chance {
	c := &chance{Rand: rand.New(rand.NewPCG(seed, 2026))}
	c.r = newRobotWith(t, 120, 36, func(o *Options) {
		o.Theme, o.Label, o.Alarm = []string{"auto", "dark", "light", "mono"}[c.IntN(4)], c.text(), c.IntN(2) == 0
		o.Hints = func() []session.Entry {
			return []session.Entry{{ID: "00mcomplete", Label: c.hint}, {ID: "00mclosed"}}
		}
		o.Getenv = func(name string) string {
			// With SSH_TTY set, tests do not touch the clipboard of this machine.
			return map[string]string{"SSH_TTY": "/dev/pts/0"}[name]
		}
		o.Browse = nil
		o.Safe = func(string) (string, error) { return "registry.example", nil }
		o.WriteEvidence = func(context.Context, audit.File) (audit.Written, error) {
			return audit.Written{}, nil
		}
		o.Files = writesNothing{}
		o.CertificateDir = []string{"", t.TempDir()}[c.IntN(2)]
		choose(o)
	})
	c.certificate = writeCertificate(t)
	c.follow(c.r.app.Init())
	c.r.now = uitest.Now.Add(time.Duration(c.IntN(1e9)))
	return c
}

// writesNothing discards files.
type writesNothing struct{ localfile.Machine }

func (writesNothing) Create(string, []byte) error { return nil }

// failures counts the failures of a check.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }

func isSound(t *testing.T, frame string) bool {
	f := &failures{TB: t}
	uitest.Sound(f, frame)
	return f.n == 0
}

func TestSoundKnowsWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{"a", "\n", " ", "~", "é", "森", "\u00a0", "\x1b[m", "\x1b[0;38;2;1;2;3m",
		"\x1b]8;;https://a.example\x1b\\", "\x1b]8;;\x1b\\"} {
		must.Hold(t, isSound(t, sound), sound)
	}
	for _, raw := range []string{
		"\x1b", "\x1b[", "\x1b[2J", "\x1b[?25l", "\x1b[1", "\x1b]8;;a b\x1b\\", "\x1b]8;;a", "\x1b]8;x;a\x1b\\",
		"\x1b]52;c;\x07", "\x1bc",
		"\r", "\x00", "\x07", "\t", "\x7f", "\u0080", "\u009b31m", "\u009f",
	} {
		must.Hold(t, !isSound(t, raw), raw)
	}
}
