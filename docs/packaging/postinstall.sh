#!/bin/sh
# Makes the users of the services. Neither service is started: each needs its
# settings in /etc/tonne first. One that does not start again is no fault of the
# installation: systemctl status shows why.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers tonne.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	systemctl try-restart tonne-serve.service tonne-share.service || true
fi
