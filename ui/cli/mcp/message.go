package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusal is the answer to what is not a message, or to a request whose id cannot be used.
type refusal struct {
	Version string `json:"jsonrpc"`
	// ID is null if the request has none that an answer could have.
	ID    json.RawMessage `json:"id"`
	Error jsonrpc.Error   `json:"error"`
}

func refuse(code int64, id json.RawMessage, format string, args ...any) *refusal {
	return &refusal{Version: "2.0", ID: id, Error: jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func (r *refusal) encode() ([]byte, error) { return json.Marshal(r) }

// split returns the message of a line, or those of a batch.
func split(line []byte) (parts []json.RawMessage, isBatch bool, refused *refusal) {
	var part json.RawMessage
	if err := json.Unmarshal(line, &part); err != nil {
		return nil, false, refuse(jsonrpc.CodeParseError, nil, "the line is not JSON: %v", err)
	}
	switch err := json.Unmarshal(line, &parts); {
	case err != nil:
		return []json.RawMessage{part}, false, nil
	case len(parts) == 0:
		return nil, false, refuse(jsonrpc.CodeInvalidRequest, nil, "the line has no message")
	}
	return parts, true, nil
}

// decode returns a message or what to answer. Both are nil for an answer that cannot be read, because an answer is
// never answered.
func decode(data json.RawMessage) (jsonrpc.Message, *refusal) {
	var of map[string]json.RawMessage
	if err := json.Unmarshal(data, &of); err != nil || of == nil {
		return nil, refuse(jsonrpc.CodeInvalidRequest, nil, "a message is an object")
	}
	raw, hasID := of["id"]
	id, isUsable := idOf(raw)
	message, err := jsonrpc.DecodeMessage(data)
	switch {
	case of["method"] == nil && (of["result"] != nil || of["error"] != nil):
		return message, nil
	case of["method"] == nil:
		return nil, refuse(jsonrpc.CodeInvalidRequest, id, "a request has a method")
	case hasID && !isUsable:
		return nil, refuse(jsonrpc.CodeInvalidRequest, id, "an id is a text or a whole number below 2^53")
	case err != nil:
		return nil, refuse(jsonrpc.CodeInvalidRequest, id, "%v", err)
	}
	return message, nil
}

// idOf returns the id of a request for its answer, and whether the library keeps it as it is: it makes integers of
// numbers.
func idOf(raw json.RawMessage) (id json.RawMessage, isUsable bool) {
	var value any
	_ = json.Unmarshal(raw, &value)
	switch value := value.(type) {
	case string:
		return raw, true
	case float64:
		return raw, value == math.Trunc(value) && math.Abs(value) < 1<<53
	}
	return nil, false
}

// withCode gives a code to an error of the library without one: of a cancelled request, or of one that comes before
// `initialize` or repeats it.
func withCode(err error) error {
	code := int64(jsonrpc.CodeInvalidRequest)
	switch coded := new(jsonrpc.Error); {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, context.Canceled):
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: err.Error()}
}
