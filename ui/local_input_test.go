package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
)

func TestPasteWithoutAnEndEnds(t *testing.T) {
	t.Parallel()
	const start, end, silence = pasteStart, pasteEnd, "…"
	for _, tt := range []struct {
		name    string
		inputs  []string
		library string
		sent    string
		// repeated reports that the library sends the paste again.
		repeated bool
	}{
		{"no paste", []string{"abc", silence, "\x03"}, "abc\x03", "", false},
		{"a whole paste", []string{start + "abc" + end, silence, "q"}, start + "abc" + end + "q", "", false},
		{"a slow paste", []string{start + "ab", "c" + end}, start + "abc" + end, "", false},
		{"silence", []string{start + "abc", silence}, start + "abc", "abc", false},
		{"silence, then a key", []string{start + "abc", silence, "q"}, start + "abc" + end + "q", "abc", true},
		{"silence, then a late end", []string{start + "abc", silence, end}, start + "abc" + end + end, "abc", true},
		{"silence, then another paste", []string{start + "a", silence, start + "b" + end},
			start + "a" + end + start + "b" + end, "a", true},
		{"silence twice", []string{start + "a", silence, silence, start + "b", silence}, start + "a" + end + start + "b",
			"a|b", true},
		{"Ctrl-C", []string{start + "abc", "\x03"}, start + "abc" + end + "\x03", "", false},
		{"Ctrl-C at once", []string{start + "abc\x03"}, start + "abc" + end + "\x03", "", false},
		{"silence, then Ctrl-C", []string{start + "abc", silence, "\x03"}, start + "abc" + end + "\x03", "abc", true},
		{"silence, then another paste and Ctrl-C", []string{start + "a", silence, start + "b\x03"},
			start + "a" + end + start + "b" + end + "\x03", "a", true},
		{"Ctrl-C within a paste", []string{start + "a\x03b", "c" + end}, start + "a\x03bc" + end, "", false},
		{"a split start", []string{"x\x1b[20", "0~abc", silence}, "x" + start + "abc", "abc", false},
		{"a split end", []string{start + "abc\x1b[2", "01~", silence, "q"}, start + "abc" + end + "q", "", false},
		{"an end in one byte at a time", append([]string{start + "abc"}, append(strings.Split(end, ""), silence, "q")...),
			start + "abc" + end + "q", "", false},
		{"invalid UTF-8", []string{start + "a\xff", silence}, start + "a\xff", "a", false},
		{"nothing pasted", []string{start, silence, "\x03"}, start + end + "\x03", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent []string
				in, library := &localInput{send: func(msg tea.Msg) { sent = append(sent, msg.(tea.PasteMsg).Content) }}, ""
				for _, input := range tt.inputs {
					if input == silence {
						time.Sleep(2 * pasteTime)
						// What was sent is read here, as soon as the timer has sent it.
						synctest.Wait()
					} else {
						library += string(in.follow([]byte(input)))
					}
				}
				must.Equal(t, library, tt.library, "the input of the library")
				must.Equal(t, strings.Join(sent, "|"), tt.sent, "sent")
				must.Equal(t, in.isRepeated(tea.PasteMsg{}), tt.repeated, "repeated")
				must.Hold(t, !in.isRepeated(tea.PasteMsg{}) && !in.isRepeated(tea.KeyPressMsg{}), "repeated twice")
				time.Sleep(2 * pasteTime)
			})
		})
	}
}
