package ui

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// decoded returns the events of input that arrives in parts without a pause.
func decoded(parts ...string) (events []tea.Msg) {
	k := &keys{send: func(m tea.Msg) { events = append(events, m) }}
	for _, part := range parts {
		k.decode([]byte(part), false)
	}
	k.decode(nil, true)
	return events
}

func typed(text string) (events []tea.Msg) {
	for _, r := range text {
		events = append(events, uv.KeyPressEvent{Code: r, Text: string(r)})
	}
	return events
}

func TestRemoteInputIsParsed(t *testing.T) {
	t.Parallel()
	for input, want := range map[string][]tea.Msg{
		"jé":       typed("jé"),
		"\x1b":     {uv.KeyPressEvent{Code: uv.KeyEscape}},
		"\x1bj":    {uv.KeyPressEvent{Code: 'j', Mod: uv.ModAlt}},
		"\x1b[A\r": {uv.KeyPressEvent{Code: uv.KeyUp}, uv.KeyPressEvent{Code: uv.KeyEnter}},
		"\x1b[1;2R": {uv.KeyPressEvent{Code: uv.KeyF3, Mod: uv.ModShift},
			uv.CursorPositionEvent{X: 1}},
		"\x1b[<0;3;4M":      {uv.MouseClickEvent{X: 2, Y: 3, Button: uv.MouseLeft}},
		"\x1b[?997;2n":      {uv.LightColorSchemeEvent{}},
		"\x1b[200~a\x1b[Ab": nil,
		"\x1b[200~a\nb\x00": nil,
		"\x1b[201~":         nil,
		"\xff\xffj": append([]tea.Msg{uv.UnknownEvent("ÿ"), uv.UnknownEvent("ÿ")},
			typed("j")...),
		"\x1b[200~a\x1b[201":                     nil,
		"\x1b[200~a\xff\x1b[Ab\x1b[20\x1b[201~j": append([]tea.Msg{uv.PasteEvent{Content: "a\x1b[Ab\x1b[20"}}, typed("j")...),
	} {
		must.Equal(t, decoded(input), want, input)
	}
}

func TestSplitRemoteInputGivesSameEvents(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"j", "é", "世", "\r", "\t", "\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1bOa", "\x1b[<0;30;4M",
		"\x1b]11;rgb:ffff/ffff/ffff\x07", "\x1bP>|foot\x1b\\",
		"\x1b[200~some text\n\x1b[201~", "\x1b[65;30;106;1;0;9_", "\x1b[27;5;106~", "\x1b[106;5u",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces"), "")
		var parts []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		whole, cut := decoded(text), decoded(parts...)
		must.Equal(t, whole, cut, text, parts)
	})
}

func TestSplitEndOfARemotePasteIsFound(t *testing.T) {
	t.Parallel()
	for n := range pasteEnd {
		got := decoded("\x1b[200~a"+pasteEnd[:n], pasteEnd[n:]+"j")
		must.Equal(t, got, append([]tea.Msg{uv.PasteEvent{Content: "a"}}, typed("j")...), n)
	}
}

func TestEscapeKeyArrivesAfterShortWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		events := make(chan tea.Msg, 9)
		go (&keys{send: func(m tea.Msg) { events <- m }}).stream(in, func(work func()) { work() })
		_, _ = typing.Write([]byte("\x1b"))
		began := time.Now()
		e := <-events
		must.Hold(t, e == (tea.Msg)(uv.KeyPressEvent{Code: uv.KeyEscape}) && time.Since(began) == escapeTime,
			e, time.Since(began))
		_, _ = typing.Write([]byte("\x1b"))
		_, _ = typing.Write([]byte("[A"))
		if e := <-events; e != (tea.Msg)(uv.KeyPressEvent{Code: uv.KeyUp}) {
			t.Errorf("events %v", e)
		}
		_ = typing.Close()
	})
}

func TestRemotePasteWithoutAnEndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		events := make(chan tea.Msg, 9)
		go (&keys{send: func(m tea.Msg) { events <- m }}).stream(in, func(work func()) { work() })
		began := time.Now()
		_, _ = typing.Write([]byte(pasteStart + "abc\x1b[2"))
		must.Equal(t, <-events, tea.Msg(uv.PasteEvent{Content: "abc\x1b[2"}))
		must.Equal(t, time.Since(began), pasteTime)
		_, _ = typing.Write([]byte("j"))
		must.Equal(t, []tea.Msg{<-events}, typed("j"))
		_, _ = typing.Write([]byte(pasteStart + "abc"))
		_, _ = typing.Write([]byte(interrupt))
		must.Equal(t, <-events, tea.Msg(uv.PasteEvent{Content: "abc"}))
		must.Equal(t, <-events, tea.Msg(uv.KeyPressEvent{Code: 'c', Mod: uv.ModCtrl}))
		_ = typing.Close()
	})
}

// In Windows' format, 17 bytes can mean 65,535 repetitions of a key.
func TestRepeatCountOfRemoteKeyIsIgnored(t *testing.T) {
	t.Parallel()
	for _, begins := range []string{"\x1b[", "\x1b\x1b\x1b[", "\x9b", "\x1b\x9b"} {
		got := decoded(begins + "65;30;97;1;0;65535_")
		must.Equal(t, len(got), 0, begins)
	}
	out, keys, ended := remoteRun(t, nil)
	out.await(t, "tonne")
	_, _ = keys.Write([]byte("/\x1b[65;30;97;1;0;65535_zebra"))
	out.await(t, "zebra")
	out.mu.Lock()
	must.Hold(t, !strings.Contains(out.text.String(), "aaaa"), "a repeated key was accepted")
	out.mu.Unlock()
	_ = keys.Close()
	must.Succeed(t, <-ended)
}

func TestUnterminatedRemoteInputIsNotBuffered(t *testing.T) {
	t.Parallel()
	for _, begins := range []string{"\x1b]52;c;", "\x1bP", "\x1b_", "\x1bX", "\x1b[", "\x1b[1", "\xff", "\xe4\xb8",
		"\x1b\x1b\x1b\x1b", "\x1bO", "\x9d"} {
		for _, goes := range []string{"a", "1", "\x1b", "\xe4", "\xff", ";", "\x9d"} {
			events, most := 0, 0
			k := &keys{send: func(tea.Msg) { events++ }}
			k.held = []byte(begins)
			part := bytes.Repeat([]byte(goes), 500)
			for range 8 {
				k.decode(part, false)
				most = max(most, len(k.held))
			}
			must.Hold(t, most < longestSequence && events <= len(begins)+8*len(part), begins, goes, most, events)
		}
	}
}

func TestTooLongRemotePasteIsRejected(t *testing.T) {
	t.Parallel()
	var events []tea.Msg
	k := &keys{send: func(m tea.Msg) { events = append(events, m) }}
	paste := func(bytesOfText int) {
		k.decode([]byte("\x1b[200~"), false)
		part := bytes.Repeat([]byte("x"), 1<<16)
		for range bytesOfText >> 16 {
			k.decode(part, false)
		}
		must.Hold(t, len(k.pasted)+len(k.held) <= longestPaste+len(part), bytesOfText, len(k.pasted)+len(k.held))
		k.decode([]byte(pasteEnd), false)
	}
	paste(4 * longestPaste)
	notice, told := events[0].(Notice)
	must.Hold(t, told && strings.Contains(notice.Text, "The pasted text is too long") && len(events) == 1, events)
	paste(longestPaste)
	text, pasted := events[1].(uv.PasteEvent)
	must.Hold(t, pasted && len(text.Content) == longestPaste, "a paste of the maximum length is rejected")
	r := newRemoteRobot(t, 120, 36)
	r.send(events[0])
	r.Sees("Nothing was pasted")
}

// broken panics when it is read.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("a mistake in the library\nwith two lines") }

func TestPanicInRemoteInputEndsOnlyThatDashboard(t *testing.T) {
	t.Parallel()
	err := Run(t.Context(), Options{
		Feed: idleFeed{&uitest.Feed{}}, Host: "market.example", Input: broken{}, Output: io.Discard,
		Remote: &Remote{Environ: []string{"TERM=xterm-256color"}, Width: 80, Height: 24},
	})
	var broke *session.PanicError
	must.Hold(t, errors.As(err, &broke) && broke.Value == "a mistake in the library", "ended with", err)
}

func FuzzRemoteKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~x\x1b[201~\x1b[65;30;97;1;0;65535_\x1bP1+r\x1b\\\x1b[M\x9b\xff"), byte(3))
	f.Fuzz(func(t *testing.T, input []byte, cut byte) {
		events := 0
		k := &keys{send: func(tea.Msg) { events++ }}
		for part := range slices.Chunk(input, int(cut)+1) {
			k.decode(part, false)
			must.Need(t, len(k.held) < longestSequence, len(k.held))
		}
		k.decode(nil, true)
		must.Hold(t, events <= 2*len(input), len(input), events)
	})
}
