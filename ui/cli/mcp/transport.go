package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// transport answers the requests that it has read before its input counts as ended. The library cancels them, also
// those of a script that writes all its requests and closes its end.
type transport struct{ sdk.Transport }

// Connect connects.
func (t transport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	ended, end := context.WithCancel(ctx)
	return &connection{Connection: c, ended: ended, end: end}, err
}

type connection struct {
	sdk.Connection
	unanswered sync.WaitGroup
	ended      context.Context
	end        func()
}

// Read reads a message. At the end of the input, or after one that cannot be read, it waits for the answers.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		c.unanswered.Add(1)
	}
	if err != nil {
		go func() {
			c.unanswered.Wait()
			c.end()
		}()
		<-c.ended.Done()
	}
	return message, err
}

// Write writes a message.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if _, ok := message.(*jsonrpc.Response); ok {
		defer c.unanswered.Done()
	}
	return c.Connection.Write(ctx, message)
}

// Close ends a Read that waits.
func (c *connection) Close() error {
	c.end()
	return c.Connection.Close()
}
