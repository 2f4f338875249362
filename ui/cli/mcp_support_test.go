package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// agent is a client of `tonne mcp`.
type agent struct {
	t       testing.TB
	session *sdk.ClientSession
	tools   map[string]*sdk.Tool
	schemas map[string]*jsonschema.Resolved
	log     *lockedText
	status  chan int
	end     func()
}

// lockedText is a buffer for several goroutines.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// startMCP runs `tonne mcp` on two pipes until its input is closed.
func startMCP(ctx context.Context, p command.Process) (in io.WriteCloser, out io.ReadCloser, status chan int) {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	p.Stdin, p.Stdout = stdin, stdout
	status = make(chan int, 1)
	go func() {
		s := Run(ctx, p)
		_ = stdout.Close()
		_ = stdin.Close()
		status <- s
	}()
	return in, out, status
}

// agent connects the client of the SDK.
func (w *world) agent(args ...string) *agent {
	p := w.process(append([]string{"mcp"}, args...)...)
	a := connectAgent(w.t, p)
	w.t.Cleanup(func() {
		must.Hold(w.t, !strings.Contains(a.log.String(), w.env["TONNE_API_KEY"]), "the log has the key")
	})
	return a
}

func connectAgent(t testing.TB, p command.Process) *agent {
	t.Helper()
	a := &agent{t: t, log: new(lockedText), tools: make(map[string]*sdk.Tool),
		schemas: make(map[string]*jsonschema.Resolved)}
	p.Stderr = a.log
	in, out, status := startMCP(context.Background(), p)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	a.session = must.Get(client.Connect(context.Background(), &sdk.IOTransport{Reader: out, Writer: in}, nil))
	a.status, a.end = status, sync.OnceFunc(func() {
		_ = a.session.Close()
		must.Equal(t, <-status, command.StatusDone, "the status of the server", a.log.String())
	})
	t.Cleanup(a.end)
	for tool, err := range a.session.Tools(context.Background(), nil) {
		must.Succeed(t, err)
		var schema jsonschema.Schema
		must.Succeed(t, json.Unmarshal(must.Get(json.Marshal(tool.OutputSchema)), &schema))
		a.tools[tool.Name], a.schemas[tool.Name] = tool, must.Get(schema.Resolve(nil))
	}
	return a
}

// answer is the structured content of a tool.
type answer struct {
	Result    json.RawMessage
	Truncated bool
	Rows      int
	Warnings  []string
	Error     *command.FailureJSON
	// failed is isError, and text the content as text.
	failed bool
	text   string
}

// call calls a tool and checks its answer against its declared schema.
func (a *agent) call(tool string, arguments any) answer {
	a.t.Helper()
	r := must.Get(a.session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments}))
	structured := must.Get(json.Marshal(r.StructuredContent))
	must.Succeed(a.t, a.schemas[tool].Validate(r.StructuredContent))
	var got answer
	must.Succeed(a.t, json.Unmarshal(structured, &got))
	for _, c := range r.Content {
		got.text += c.(*sdk.TextContent).Text
	}
	got.failed = r.IsError
	must.Hold(a.t, got.failed == (got.Error != nil) && got.Truncated == (got.Rows > 0), tool, string(structured))
	if !got.failed {
		must.Hold(a.t, len(r.Content) == 1 && sameJSON(got.text, string(structured)), "the text differs", got.text)
	}
	return got
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil &&
		bytes.Equal(must.Get(json.Marshal(x)), must.Get(json.Marshal(y)))
}

// properties are the names of the arguments of a tool.
func (a *agent) properties(tool string) (names []string) {
	for name := range a.tools[tool].InputSchema.(map[string]any)["properties"].(map[string]any) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
