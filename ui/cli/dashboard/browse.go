package dashboard

import (
	"context"
	"os/exec"
	"runtime"

	"tonne/api"
)

func safeHost(raw string) (string, error) {
	u, err := api.CheckURL(raw)
	if err != nil {
		return "", err
	}
	return u.Host, nil
}

func browse(ctx context.Context, raw string) error {
	u, err := api.CheckURL(raw)
	if err != nil {
		return err
	}
	// What is opened is the URL as it was understood, never the text: it
	// begins with http, so that no program takes it for an option.
	switch runtime.GOOS {
	case "darwin":
		return exec.CommandContext(ctx, "open", u.String()).Run()
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", u.String()).Run()
	}
	return exec.CommandContext(ctx, "xdg-open", u.String()).Run()
}
