#!/bin/sh
# Purging removes settings and users. The databases in /var/lib/tonne and
# /var/lib/tonne-share stay: they are yours to delete.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
if [ "${1:-}" = purge ]; then
	rm -f /etc/tonne/authorized_keys
	for user in tonne tonne-share; do
		if getent passwd "$user" >/dev/null && [ ! -e "/var/lib/$user" ]; then
			userdel "$user" || true
		fi
	done
fi
