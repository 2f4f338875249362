package session

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// PanicError is a panic in a goroutine of a session or a screen.
type PanicError struct {
	// Value is the value of the panic, on one line.
	Value string
	// Stack is its stack trace.
	Stack string
}

// Error returns the value of the panic.
func (e *PanicError) Error() string { return "the session broke: " + e.Value }

// Recovered returns an error for a value of recover.
func Recovered(p any) *PanicError {
	value, stack, _ := strings.Cut(fmt.Sprint(p), "\n")
	return &PanicError{value, stack + string(debug.Stack())}
}
