package command

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"
)

func (a *App) UserName() string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := strings.TrimSpace(a.Getenv(name)); user != "" {
			return user
		}
	}
	u, err := user.Current()
	if err != nil || a.Guest != nil {
		return ""
	}
	return u.Username
}

func (a *App) MadeBy() string { return cmp.Or(a.UserName(), "uid "+strconv.Itoa(os.Getuid())) }
