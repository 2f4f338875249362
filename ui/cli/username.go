package cli

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"
)

func (a *app) userName() string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := strings.TrimSpace(a.Getenv(name)); user != "" {
			return user
		}
	}
	u, err := user.Current()
	if err != nil || a.guest != nil {
		return ""
	}
	return u.Username
}

func (a *app) madeBy() string { return cmp.Or(a.userName(), "uid "+strconv.Itoa(os.Getuid())) }
