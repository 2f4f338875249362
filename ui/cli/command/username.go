package command

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// UserName returns who runs the program, as far as that is known.
func (p Process) UserName() string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := strings.TrimSpace(p.Getenv(name)); user != "" {
			return user
		}
	}
	u, err := user.Current()
	if err != nil || p.Guest != nil {
		return ""
	}
	return u.Username
}

// MadeBy names who runs the program, for the journal.
func (p Process) MadeBy() string { return cmp.Or(p.UserName(), "uid "+strconv.Itoa(os.Getuid())) }
