package cli

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// userName is who runs the program: by the environment, else by the system, and
// empty if neither knows. The system knows nothing of a guest.
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

// madeBy is who runs the program, of whom the system may know no more than a
// number.
func (a *app) madeBy() string { return cmp.Or(a.userName(), "uid "+strconv.Itoa(os.Getuid())) }
