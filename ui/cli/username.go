package cli

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
)

// madeBy is who runs the program: by the environment, else by the system,
// which may know no more than a number.
func (a *app) madeBy() string {
	if name := a.userName(); name != "" {
		return name
	}
	number := "uid " + strconv.Itoa(os.Getuid())
	u, err := user.Current()
	if err != nil {
		return number
	}
	return cmp.Or(u.Username, number)
}
