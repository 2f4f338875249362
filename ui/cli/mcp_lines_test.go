package cli

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}`
	// greeting begins a session. Its answer has the id 1.
	greeting = initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

// answersTo returns the lines that answer a text, without that to the greeting.
func answersTo(out string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSuffix(out, "\n"), "\n"), func(line string) bool {
		return strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,"result"`)
	})
}

func TestAgentServerAnswersWhatIsNoMessageAndGoesOn(t *testing.T) {
	t.Parallel()
	const nameless = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`
	for _, tt := range []struct {
		name, line string
		// answer has the parts of the answer, the first at its start. Without parts there is none.
		answer []string
	}{
		{"no JSON", `garbage`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		{"cut off", `{"jsonrpc":"2.0","id":9,`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		{"two on a line", `{"jsonrpc":"2.0","id":8,"method":"ping"} {}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		{"no version", `{"id":9,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32600,`}},
		{"no version of a notification", `{"method":"ping"}`, []string{nameless}},
		{"no object", `7`, []string{nameless}},
		{"null", `null`, []string{nameless}},
		{"no method", `{"jsonrpc":"2.0","id":9}`, []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32600,`}},
		{"fraction as id", `{"jsonrpc":"2.0","id":7.5,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":7.5,"error":{"code":-32600,`}},
		{"id that is rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
			[]string{`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,`}},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":9007199254740991,"result":{}}`}},
		{"whole number with a point", `{"jsonrpc":"2.0","id":7.0,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":7,"result":{}}`}},
		{"empty text as id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, []string{`{"jsonrpc":"2.0","id":"","result":{}}`}},
		{"object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{nameless}},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{nameless}},
		{"second initialize", strings.Replace(initialize, `"id":1`, `"id":9`, 1), []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32600,`}},
		{"empty line", ``, nil},
		{"answer to nothing", `{"jsonrpc":"2.0","id":9,"result":{}}`, nil},
		{"answer that is wrong", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, nil},
		{"empty batch", `[]`, []string{nameless}},
		{"batch", `[{"jsonrpc":"2.0","id":8,"method":"ping"},7,{"jsonrpc":"2.0","id":9,"method":"ping"}]`,
			[]string{"[" + nameless, `{"jsonrpc":"2.0","id":8,"result":{}}`, `{"jsonrpc":"2.0","id":9,"result":{}}`}},
		{"batch with an id twice", `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]`,
			[]string{"[" + nameless, `{"jsonrpc":"2.0","id":8,"result":{}}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, new(service))
			w.stdin = greeting + tt.line + "\n" + `{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n"
			got := answersTo(w.must("mcp"))
			after := slices.Index(got, `{"jsonrpc":"2.0","id":"after","result":{}}`)
			must.Need(t, after >= 0, "the server does not go on", got)
			got = slices.Delete(got, after, after+1)
			must.Need(t, len(got) == min(1, len(tt.answer)), got)
			for i, part := range tt.answer {
				at := strings.Index(got[0], part)
				must.Hold(t, at == 0 || i > 0 && at > 0, part, got[0])
			}
		})
	}
}

func TestAgentServerRefusesCallsBeforeASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.stdin = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"market"}}` + "\n"
	got := w.must("mcp")
	must.Hold(t, strings.HasPrefix(got, `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,`), got)
}

func TestAgentServerOfAnInputThatIsNoClientEnds(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"no JSON", `{"id":9,"method":"ping"}`, "[7]", strings.Repeat("x", 17<<20)} {
		w := newWorld(t, new(service))
		w.stdin = first + "\n" + greeting
		r := w.run("mcp")
		f, problem := r.failure()
		must.Hold(t, problem == "" && r.status == command.StatusFailed && r.stdout == "", problem, r.status, r.stdout)
		must.Hold(t, strings.Contains(f.Message, "not a client of the Model Context Protocol") &&
			strings.Contains(f.Next, "agents.md"), f)
	}
}

func TestAgentServerEndsWhenAnIDWasUsedTwice(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		b := &blocking{release: make(chan struct{})}
		in, out, status := startMCP(t.Context(), newWorld(t, b).process("mcp"))
		var text lockedText
		go func() { _, _ = io.Copy(&text, out) }()
		send := func(lines string) []string {
			must.Get(io.WriteString(in, lines))
			synctest.Wait()
			return answersTo(text.String())
		}
		const call = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"market","arguments":{"limit":1}}}` + "\n"
		const ping = `{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n"
		got := send(greeting + call + call + ping)
		must.Equal(t, len(got), 2, got)
		for _, line := range got {
			must.Hold(t, strings.HasPrefix(line, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) &&
				strings.Contains(line, "the id 5 is running"), line)
		}
		close(b.release)
		synctest.Wait()
		got = send(ping)
		must.Need(t, len(got) == 4, got)
		must.Hold(t, strings.HasPrefix(got[2], `{"jsonrpc":"2.0","id":5,"result":{"content"`), got[2])
		must.Equal(t, got[3], `{"jsonrpc":"2.0","id":5,"result":{}}`)
		must.Succeed(t, in.Close())
		must.Equal(t, <-status, command.StatusDone)
	})
}
