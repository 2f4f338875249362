package serve

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"

	"tonne/api/wire"
	"tonne/model/advice"
	"tonne/ui/cli/command"
)

const checkTimeout = 5 * time.Second

// check queries the service on --listen whether it can accept a purchase
// now, for containers and monitors that have no HTTP client.
func (s *options) check(ctx context.Context) error {
	host, port, err := net.SplitHostPort(s.listen)
	if err != nil {
		return command.Usage("give the --listen address of the service, such as 127.0.0.1:8080",
			"%s is not an address with a port", s.listen)
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	// A proxy of the environment would have another localhost.
	client := http.Client{Transport: &http.Transport{}, Timeout: checkTimeout}
	answer, err := client.Do(request)
	if err != nil {
		return command.Failed(advice.Format("check whether %s runs, and its --listen", advice.Tonne("serve")),
			"no service answers on %s", s.listen)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		var reason struct{ Message string }
		_ = json.NewDecoder(io.LimitReader(answer.Body, 4096)).Decode(&reason)
		return command.Failed("see the log of the service", "%s answers %d: %s", s.listen, answer.StatusCode,
			wire.Clean(reason.Message))
	}
	_, err = io.WriteString(s.app.Stdout, "ready\n")
	return err
}
