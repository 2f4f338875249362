package command

import (
	"cmp"
	"log/slog"
	"os"
	"runtime"
)

// OpenDebugFile opens a log for appending: a new file that only its owner can read, or a
// regular one that no other user can read or write. A named pipe would wait for a reader.
func OpenDebugFile(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, Failed("name a new file", "the debug log must be a regular file: no link, pipe, directory or device")
	case err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, Failed("run `chmod 600 "+path+"`, or name a new file", "others can read the debug log")
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// DebugLog is the log of a run.
type DebugLog struct {
	Logger *slog.Logger
	File   *os.File
}

// LogTo writes the log to a file, without keys.
func (l *DebugLog) LogTo(file *os.File, redact func(string) string) {
	l.File = file
	l.Logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			switch attr.Value.Kind() {
			case slog.KindString, slog.KindAny:
				attr.Value = slog.StringValue(redact(attr.Value.String()))
			}
			return attr
		},
	}))
}

// Log returns the log; without --debug it discards everything.
func (l *DebugLog) Log() *slog.Logger { return cmp.Or(l.Logger, slog.New(slog.DiscardHandler)) }
