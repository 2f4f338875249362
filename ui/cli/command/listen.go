package command

import (
	"errors"
	"io"
	"net"
)

// Listen listens on the TCP address that --listen names.
func Listen(address string) (net.Listener, error) {
	if address == "" {
		return nil, Usage("give an address, such as 127.0.0.1:8080", "--listen is empty")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, Failed("choose another --listen, or stop the program that uses the address", "cannot listen on %s", address)
	}
	return listener, nil
}

// NotifyReady tells systemd that a service accepts requests, if systemd started it
// and waits for the notification (Type=notify; sd_notify(3)).
func (p Process) NotifyReady() error {
	socket := p.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return Failed("unset NOTIFY_SOCKET, or start it with systemd", "systemd cannot be notified: %v", err)
	}
	_, err = io.WriteString(conn, "READY=1")
	return errors.Join(err, conn.Close())
}
