package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"tonne/api"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// SaveKey stores the key of the settings; fresh adds the profile to the configuration first.
func (a *Configuration) SaveKey(s *Settings, fresh bool) (credentials.Place, error) {
	if fresh {
		if err := s.File.AddProfile(s.ProfileName, config.Profile{BaseURL: s.BaseURL}); err != nil {
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
func (a *Configuration) Check(ctx context.Context, s *Settings) error {
	client, err := a.NewClient(s, 0)
	if err != nil {
		return err
	}
	defer client.Close()
	_, _, err = client.MarketPage(ctx, api.MarketQuery{PerPage: 1})
	return err
}

// longestKey is more than any API key has.
const longestKey = 4 << 10

// AskKey reads a key from a prompt that does not show it, or from standard input.
func (a *Configuration) AskKey(ctx context.Context, place string) (string, error) {
	read := func() (string, error) {
		text, err := io.ReadAll(io.LimitReader(a.Stdin, longestKey))
		return string(text), err
	}
	if in, ok := a.Stdin.(*os.File); ok && terminal.IsTerminal(in) {
		prompt := fmt.Sprintf("API key for %s (it is not shown): ", place)
		read = func() (string, error) { return ReadHidden(in, a.Stderr, prompt) }
	}
	text, err := a.Answer(ctx, read)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(text)
	if key == "" {
		return "", Usage("type it at the prompt, or pass it on standard input", "there is no key to store")
	}
	return key, nil
}
