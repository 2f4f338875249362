package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errNoClient is the error of an input that is no message from its start.
var errNoClient = errors.New("standard input is not a client of the Model Context Protocol")

// transport carries messages on lines. That of the library ends at a line that is not a message, never answers a
// request with the id of a running one, and cancels what runs when the input ends, also for a script that writes all
// its requests and closes its end.
type transport struct {
	in  io.Reader
	out io.Writer
}

// Connect connects.
func (t transport) Connect(ctx context.Context) (sdk.Connection, error) {
	c := &connection{out: t.out, lines: make(chan []byte), running: make(map[jsonrpc.ID]*reply)}
	c.ended, c.end = context.WithCancel(ctx)
	go c.scan(t.in)
	return c, nil
}

type connection struct {
	out     io.Writer
	writing sync.Mutex
	lines   chan []byte
	// failed is why the input cannot be read any more. It is set before lines is closed.
	failed error
	// begun is whether there was a message, and queue has those that were not returned.
	begun bool
	queue []jsonrpc.Message
	// running has the requests without an answer. The lock is also that of the replies.
	mu         sync.Mutex
	running    map[jsonrpc.ID]*reply
	unanswered sync.WaitGroup
	ended      context.Context
	end        func()
}

// reply has the answers to the messages of a line.
type reply struct {
	isBatch bool
	// open is the number of requests without an answer, and 1 while the line is read.
	open    int
	answers [][]byte
}

// scan reads lines. It may stay in a Read of the input after the end.
func (c *connection) scan(in io.Reader) {
	defer close(c.lines)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, sdk.DefaultMaxLineLength)
	for scanner.Scan() {
		select {
		case c.lines <- bytes.Clone(scanner.Bytes()):
		case <-c.ended.Done():
			return
		}
	}
	c.failed = scanner.Err()
}

// Read returns the next message. At the end of the input it waits for the answers.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case line, more := <-c.lines:
			if !more {
				return nil, c.finish()
			}
			if err := c.accept(line); err != nil {
				return nil, err
			}
		case <-c.ended.Done():
			return nil, io.EOF
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// finish waits for the answers and returns why the input ended.
func (c *connection) finish() error {
	go func() {
		c.unanswered.Wait()
		c.end()
	}()
	<-c.ended.Done()
	switch {
	case c.failed == nil:
		return io.EOF
	case !c.begun:
		return fmt.Errorf("%w: %w", errNoClient, c.failed)
	}
	return c.failed
}

// accept puts the messages of a line into the queue and answers what is not a message.
func (c *connection) accept(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	parts, isBatch, refused := split(line)
	of := &reply{isBatch: isBatch, open: 1}
	all := []*refusal{refused}
	for _, part := range parts {
		all = append(all, c.take(part, of))
	}
	var answers [][]byte
	for _, r := range all {
		switch {
		case r == nil:
			continue
		case !c.begun:
			return fmt.Errorf("%w: %s", errNoClient, r.Error.Message)
		}
		data, err := r.encode()
		if err != nil {
			return err
		}
		answers = append(answers, data)
	}
	return c.settle(of, answers...)
}

// take puts a message into the queue. The library does not tell which request has an id that is in use, and has no
// answer to it.
func (c *connection) take(part []byte, of *reply) *refusal {
	message, refused := decode(part)
	if message == nil {
		return refused
	}
	c.begun = true
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running[request.ID] != nil {
			// With the id, this would be the answer to the request that runs.
			return refuse(jsonrpc.CodeInvalidRequest, nil, "a request with the id %v is running", request.ID.Raw())
		}
		c.running[request.ID] = of
		of.open++
		c.unanswered.Add(1)
	}
	c.queue = append(c.queue, message)
	return nil
}

// Write writes a message.
func (c *connection) Write(_ context.Context, message jsonrpc.Message) error {
	response, isAnswer := message.(*jsonrpc.Response)
	if !isAnswer {
		data, err := jsonrpc.EncodeMessage(message)
		if err != nil {
			return err
		}
		return c.write(data)
	}
	c.mu.Lock()
	of := c.running[response.ID]
	delete(c.running, response.ID)
	c.mu.Unlock()
	if of == nil {
		return fmt.Errorf("there is no request %v to answer", response.ID.Raw())
	}
	defer c.unanswered.Done()
	response.Error = withCode(response.Error)
	data, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return err
	}
	return c.settle(of, data)
}

// settle adds answers to a reply, for one request or for the end of its line, and writes it when it is complete.
func (c *connection) settle(of *reply, answers ...[]byte) error {
	c.mu.Lock()
	of.open--
	of.answers = append(of.answers, answers...)
	data, complete := bytes.Join(of.answers, []byte(",")), of.open == 0
	c.mu.Unlock()
	switch {
	case !complete || len(data) == 0:
		return nil
	case of.isBatch:
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	return c.write(data)
}

func (c *connection) write(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// SessionID returns no id: there is one session.
func (c *connection) SessionID() string { return "" }

// Close ends a Read that waits. Standard input and output belong to the program.
func (c *connection) Close() error {
	c.end()
	return nil
}
