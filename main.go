// Tonne is a terminal dashboard and command line for a carbon-credit
// marketplace.
package main

import (
	"os"

	"tonne/ui/cli"
)

func main() { os.Exit(cli.Main()) }
