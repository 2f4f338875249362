package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/audit"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/tab"
)

// The exit status of a command.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusRefused     = 3
	statusNotFound    = 4
	statusUnreachable = 5
	statusInterrupted = 130
)

// failure is why a command did not do all it was asked for: what happened and
// what to do, a sentence each.
type failure struct {
	what, todo string
	// again says how to repeat the command after todo; empty if todo says it.
	again string
	// harmful says that the same command would retire something a second time.
	harmful bool
	status  int
	// code is its stable name for programs; empty stands for that of the status.
	code string
	// cause is the error that the sentence ends with, nil for none.
	cause error
	// silent says that everything about it was printed already.
	silent bool
}

func (f *failure) Error() string { return f.what }
func (f *failure) Unwrap() error { return f.cause }

func (f *failure) next() string {
	if f.todo == "" || f.again == "" {
		return f.todo + f.again
	}
	return f.todo + ", then " + f.again
}

func usage(todo, format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: todo, status: statusUsage}
}

func failed(todo, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	return &failure{what: what.Error(), todo: todo, status: statusFailed, cause: errors.Unwrap(what)}
}

func unmet(code, todo, format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: todo, status: statusNotFound, code: code}
}

func leftOpen(todo, format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: todo, status: statusUnreachable, code: "outcome_unknown"}
}

func incomplete(format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: "try again later; if it stays, tell the marketplace's support", status: statusUnreachable, code: "incomplete"}
}

// ran marks an error that comes from a command, not from reading its flags.
type ran struct{ err error }

func (r ran) Error() string { return r.err.Error() }
func (r ran) Unwrap() error { return r.err }

func do(command func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := command(cmd.Context(), cmd, args); err != nil {
			return ran{err}
		}
		return nil
	}
}

// report prints why a command failed, and returns the exit status.
func (a *app) report(ctx context.Context, err error) int {
	defer a.endTelling()
	if signal, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		return signal.status()
	}
	if a.guest != nil && ctx.Err() != nil {
		// Whoever ended the session tells the guest why.
		return statusFailed
	}
	if err == nil || api.KindOf(err) == 0 && errors.Is(err, syscall.EPIPE) {
		// Whoever reads standard output has read enough.
		return statusDone
	}
	f := explain(err)
	if a.guest != nil && (f.code == callCodes[api.Unauthorized] || errors.Is(err, api.ErrKey)) {
		f.todo, f.again = "tell whoever runs the desk, who has to store another key", ""
	}
	if f.again == seeMore && !a.hasDebug {
		f.again = askAbout
	}
	if !f.silent && f.status == statusUsage {
		f = a.withoutKeys(f)
	}
	if !f.silent {
		f = a.inContext(f)
		if a.guest != nil {
			f.todo, f.again = a.guest.advice(f.next()), ""
		}
		f.todo, f.again = a.advice(f.next()), ""
		a.tellFailure(f)
	}
	return f.status
}

// Where a key was found that was never stored.
const (
	fromEnvironment = "the environment variable TONNE_API_KEY"
	fromPrompt      = "the prompt"
	fromStdin       = "standard input"
)

func (a *app) inContext(f *failure) *failure {
	told := *f
	if f.status == statusRefused && a.keySource != "" {
		told.what += "; the key comes from " + a.keySource
		if f.code == callCodes[api.Unauthorized] {
			told.todo, told.again = keyAdvice(a.keySource, f.next()), ""
		}
	}
	if f.status != statusUsage {
		told.what += a.onProduction()
	}
	return &told
}

func briefSource(source, home string) string {
	if source == fromEnvironment {
		return "TONNE_API_KEY"
	}
	if home != "" {
		source = strings.Replace(source, home+"/", "~/", 1)
	}
	return source
}

func keyAdvice(source, otherwise string) string {
	switch source {
	case fromEnvironment:
		return "correct TONNE_API_KEY, or unset it to use a key that `tonne auth login` stores"
	case fromPrompt, fromStdin:
		return "run it again with another key: this one may be mistyped or inactive"
	}
	return otherwise
}

func (a *app) withoutKeys(f *failure) *failure {
	what, some := a.hideKeys(f.what)
	if !some {
		return f
	}
	return &failure{what: what, todo: keysBelong, status: f.status, code: f.code}
}

// keysBelong says where a key is given.
const keysBelong = "a key is typed at the prompt of `tonne auth login`, given on its standard input, or set in TONNE_API_KEY"

func explain(err error) *failure {
	var f *failure
	var call *api.Error
	var file *config.Error
	var mode *credentials.ModeError
	var place *credentials.PlaceError
	var path *fs.PathError
	var mark ran
	var notAsked *audit.NotAskedError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &notAsked):
		cause := explain(notAsked.Cause)
		return &failure{what: notAsked.Error(), todo: cause.next(), status: cause.status}
	case errors.As(err, &call):
		return explainCall(call)
	case errors.As(err, &file):
		return &failure{what: file.Error(), todo: fileAdvice(file), status: statusUsage, code: "configuration"}
	case errors.As(err, &mode):
		return &failure{what: mode.Error(), todo: fmt.Sprintf("run: chmod %o %s", mode.Want, mode.Path), status: statusUsage, code: "credentials"}
	case errors.As(err, &place):
		return &failure{what: place.Error(), todo: place.Todo, status: statusUsage, code: "credentials"}
	case errors.Is(err, syscall.ENOSPC):
		return &failure{what: "no space is left on the device to write to", todo: "make room", again: "run it again", status: statusFailed, code: "disk_full"}
	case !errors.As(err, &mark):
		return &failure{what: firstLine(err.Error()), todo: "run `tonne --help` to see what there is", status: statusUsage}
	case errors.As(err, &path):
		return &failure{what: path.Path + ": " + path.Err.Error(), todo: "check the path and your permissions", status: statusFailed}
	}
	return &failure{what: firstLine(err.Error()), again: seeMore, status: statusFailed}
}

// What to do about a failure that nothing is known of, with a debug log and
// for a command that has none.
const (
	seeMore  = "run it again with --debug FILE to see more"
	askAbout = "try again, and tell whoever maintains tonne if it stays"
)

func fileAdvice(e *config.Error) string {
	switch {
	case errors.Is(e, fs.ErrNotExist):
		return "name a file that is there with --config or TONNE_CONFIG; `tonne config init` writes a new one"
	case e.Err != nil:
		return "check the path and your permissions"
	}
	return "correct the file; `tonne config edit` opens it"
}

func explainCall(e *api.Error) *failure {
	f := &failure{what: e.Error(), todo: tab.Advice(e), status: statusUnreachable, code: callCodes[e.Kind]}
	switch e.Kind {
	case api.RateLimited, api.ServerError, api.NotTheAPI, api.Incomplete:
		if !e.Elsewhere {
			f.todo, f.again = "", f.todo
		}
	case api.Unauthorized:
		f.what += " (401)"
		f.todo = "store another key with `tonne auth login`, or set TONNE_API_KEY"
		f.status = statusRefused
	case api.Forbidden:
		f.what += " (403)"
		f.status = statusRefused
	case api.NotFound, api.Invalid:
		f.status = statusNotFound
	case api.Unreachable:
		f.what = "the service cannot be reached: " + f.what
	case api.TimedOut:
		f.todo, f.again = "", "try again, or allow more time with --timeout"
	case api.Refused:
		f.status = statusUsage
		if errors.Is(e, api.ErrKey) {
			f.todo = "store the key anew with `tonne auth login`, or set TONNE_API_KEY to the key alone"
		}
	case api.Cancelled:
		f.todo, f.again = "", f.todo
		f.status = statusFailed
	}
	return f
}

func (a *app) panicked(r any) error {
	a.log().Error("panic", "what", fmt.Sprint(r), "stack", string(debug.Stack()))
	return a.brokeDown()
}

func (a *app) brokeDown() error {
	todo := "run it again with --debug FILE and send the file to whoever maintains tonne"
	switch {
	case !a.hasDebug:
		todo = "tell whoever maintains tonne what you ran"
	case a.flags["debug"] != "":
		todo = "send " + a.flags["debug"] + " to whoever maintains tonne"
	}
	return failed(todo, "tonne came upon a mistake of its own and had to stop")
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}
