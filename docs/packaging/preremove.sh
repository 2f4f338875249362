#!/bin/sh
# Stops the services when the package goes: "remove" of Debian, 0 of RPM,
# nothing of Alpine. An upgrade goes on with the new program.
set -e
case "${1:-remove}" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl --no-reload disable --now tonne-serve.service tonne-share.service || true
	fi
	;;
esac
