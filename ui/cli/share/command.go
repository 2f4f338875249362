package share

import (
	"context"
	"errors"
	"strings"

	"tonne/api"
	"tonne/model/file/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd"
)

func (s *server) command(ctx context.Context, of *sshd.Session, own *store.Store) (status int) {
	args, err := splitWords(of.Command)
	if err != nil {
		return refuse(of, command.StatusUsage, "tonne: "+err.Error()+".\nClose it, or put a backslash before it.")
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	status = s.runCommand(api.OnBehalfOf(ctx, of.Person.ID), command.Process{
		Args: args, Stdin: of.In, Stdout: of.Out, Stderr: of.Err, Now: s.App.Now, Transport: s.App.Transport,
		Getenv: func(name string) string {
			for _, pair := range of.Environ {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value
				}
			}
			return ""
		},
		Guest: &command.Guest{
			Log: s.log, Fit: func(text string) string { return fitted(text, of.Terminal) },
			Desk: command.Desk{Store: own, Record: s.App.Record(), Connect: func() (*command.Settings, *api.Client, error) {
				shared, err := s.openFor(of.Person)
				if err != nil {
					return nil, nil, err
				}
				of := *shared.settings
				return &of, shared.commands, nil
			}},
		},
	})
	cause := context.Cause(ctx)
	if errors.Is(cause, sshd.ErrInterrupted) {
		return command.StatusInterrupted
	}
	if text := farewell(cause); text != "" {
		return refuse(of, command.StatusFailed, text)
	}
	return status
}

func (s *server) openFor(p sshd.Person) (*sharedSession, error) {
	shared, err := s.open(p.Profile)
	if err != nil {
		s.log.Error("a desk cannot be opened", "person", p.Name, "profile", p.Profile, "error", command.Explain(err).What)
		return nil, command.Failed("ask the operator of the desk, whose log has the reason", "the desk cannot be opened")
	}
	return shared, nil
}

func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quotation mark or backslash is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
