//go:build !race

package ui

import "tonne/model/longtest"

// crowd is the number of messages of the random robots.
var crowd = longtest.Runs(6_000, 12_000)
