package command

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model/advice"
	"tonne/ui/cli/terminal"
)

// Question is asked before a change that cannot be undone. The user confirms the change by typing a word.
type Question struct {
	// Text says what will happen, without the line that asks.
	Text string
	// Word is what confirms, such as "yes", and What is what is confirmed.
	Word, What string
	// Accepts, if not nil, reports whether another answer is the same as Word.
	Accepts func(answer string) bool
	// Not is the sentence after any other answer, such as "nothing was sent".
	Not string
}

// YesFlag adds the flag that answers the questions of a command.
func YesFlag(cmd *cobra.Command, yes *bool, usage string) {
	cmd.Flags().BoolVar(yes, "yes", false, usage)
}

// CanAsk returns an error if a question needs an answer and there is no terminal. look is the advice on how to
// see first what would happen.
func (a *App) CanAsk(yes bool, look advice.Text) error {
	if yes || terminal.IsTerminal(a.Stdin) {
		return nil
	}
	return Usage(advice.Format("%s, then add --yes", look),
		"confirmation needs a terminal, and standard input is not a terminal")
}

// Ask asks a question, unless the user has given --yes. It discards input that was typed before the question.
func (a *App) Ask(ctx context.Context, yes bool, q Question) error {
	if yes {
		return nil
	}
	a.End()
	if file, ok := a.Stdin.(*os.File); ok && terminal.IsTerminal(file) {
		if conn, err := file.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) { _ = terminal.DropTyped(fd) })
		}
	}
	fmt.Fprintf(a.Stderr, "\n%s\nType %s to %s: ", q.Text, q.Word, q.What)
	answer, err := a.Answer(ctx, func() (string, error) { return bufio.NewReader(a.Stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return err
	}
	answer = strings.TrimSpace(answer)
	if answer != q.Word && (q.Accepts == nil || !q.Accepts(answer)) {
		return Failed("run it again and type "+q.Word, "%s", q.Not)
	}
	return nil
}
