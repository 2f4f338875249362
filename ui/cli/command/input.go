package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"

	"tonne/api"
	"tonne/model"
	"tonne/model/fold"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// SaveKey stores the key. If fresh is set, it first adds the profile to the configuration.
func (s *Settings) SaveKey(fresh bool) (credentials.Place, error) {
	if fresh {
		if err := s.File.AddProfile(s.ProfileName, s.BaseURL); err != nil {
			return "", fmt.Errorf("the profile was not added: %w", err)
		}
	}
	place, err := s.Credentials.Save(s.ProfileName, s.BaseURL, s.Key)
	if err != nil {
		return "", fmt.Errorf("the key was not stored: %w", err)
	}
	return place, nil
}

// Check makes one request with the key of the settings.
func (a *App) Check(ctx context.Context, s *Settings) error {
	client, err := a.NewClient(s, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	_, _, err = client.MarketPage(ctx, api.MarketQuery{PerPage: 1})
	return err
}

const longestKey = 4 << 10

// AskKey reads a key from a prompt that hides it, or from standard input.
func (a *App) AskKey(ctx context.Context, place string) (string, error) {
	read := func() (string, error) {
		text, err := io.ReadAll(io.LimitReader(a.Stdin, longestKey))
		return string(text), err
	}
	if in, ok := a.Stdin.(*os.File); ok && terminal.IsTerminal(in) {
		prompt := fmt.Sprintf("API key for %s (hidden): ", place)
		read = func() (string, error) { return ReadHidden(in, a.Stderr, prompt) }
	}
	text, err := a.Answer(ctx, read)
	if err != nil {
		return "", err
	}
	key := fold.Trim(text)
	if key == "" {
		return "", Usage("type it at the prompt, or pass it on standard input", "the API key is empty")
	}
	return key, CheckNewKey(key)
}

// CheckNewKey returns an error if a key cannot be one, or is too short to be stored.
func CheckNewKey(key string) error {
	switch {
	case strings.HasPrefix(strings.ToLower(key), "bearer "):
		return Usage("copy only what follows Bearer", "the API key begins with the word Bearer")
	case strings.ContainsFunc(key, unicode.IsSpace):
		return Usage("copy only the key", "the API key contains a blank or a line end")
	case len(key) < api.ShortestKey:
		return Usage("copy the whole key", "%s", shortKey(key))
	}
	return nil
}

func shortKey(key string) string {
	return fmt.Sprintf("the API key has only %s; a key has at least %d",
		model.Count(len(key), "character", "characters"), api.ShortestKey)
}

// ReadHidden reads a line without echo. It turns echo off before it prints the prompt.
func ReadHidden(in *os.File, out io.Writer, prompt string) (string, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	line, err := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "").ReadPassword(prompt)
	if errors.Is(err, io.EOF) {
		return "", &Failure{Status: StatusInterrupted, Silent: true}
	}
	return line, err
}

// Answer waits for input or until ctx ends. The goroutine that reads a terminal remains.
func (a *App) Answer(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		a.Terminal.Restore()
		return "", context.Cause(ctx)
	}
}

// OpenLines opens a text file. "-" is standard input.
func (p Process) OpenLines(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(p.Stdin), nil
	}
	return os.Open(path)
}
