package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// result is the structured content of an answer.
type result struct {
	// Result is what the command printed, also if it failed after that.
	Result    json.RawMessage      `json:"result,omitempty"`
	Truncated bool                 `json:"truncated,omitempty"`
	Rows      int                  `json:"rows,omitempty"`
	Warnings  []string             `json:"warnings,omitempty"`
	Error     *command.FailureJSON `json:"error,omitempty"`
	// all is the number of rows without the limit.
	all int `json:"-"`
}

func (t *tool) result(ctx context.Context, arguments json.RawMessage) (r result) {
	args, rows, most, err := t.parse(arguments)
	if err != nil {
		failure := command.NewFailureJSON(command.Explain(err))
		return result{Error: &failure}
	}
	var data, messages bytes.Buffer
	limit := field.NewLimit(rows, most)
	status := t.run(ctx, t.app.ForAgent(t.agent, args, output.Limited{Writer: &data, Limit: limit}, &messages))
	for line := range bytes.Lines(messages.Bytes()) {
		// A notice also has a message, and no exit status.
		var message command.FailureJSON
		switch err := json.Unmarshal(line, &message); {
		case err == nil && message.Status != command.StatusDone:
			r.Error = &message
		case err == nil:
			r.Warnings = append(r.Warnings, message.Message)
		}
	}
	if status != command.StatusDone && r.Error == nil {
		r.Error = &command.FailureJSON{Message: "The command was ended.", Next: "Try again.", Status: status}
	}
	if json.Valid(data.Bytes()) {
		r.Result, r.all = data.Bytes(), limit.Rows
		if r.Truncated = limit.Rows > most; r.Truncated {
			r.Rows = limit.Rows
		}
	}
	return r
}

// encode returns the answer: the result as an object and as text, or what failed, what to do and the exit status.
func (r result) encode() (*sdk.CallToolResult, error) {
	structured, err := json.Marshal(r)
	answer := &sdk.CallToolResult{StructuredContent: json.RawMessage(structured), IsError: r.Error != nil}
	if e := r.Error; e != nil {
		answer.Content = []sdk.Content{&sdk.TextContent{
			Text: fmt.Sprintf("%s\n%s\nExit status %d.", e.Message, e.Next, e.Status)}}
	}
	if r.Result != nil {
		answer.Content = append(answer.Content, &sdk.TextContent{Text: string(structured)})
	}
	return answer, err
}
