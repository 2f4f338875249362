// Package model is the domain of a carbon-credit marketplace: quantities and
// money, the market and its order books, the inventory and what was paid for
// it, retirement requests and projects.
//
// Everything here is pure: no input or output, no clock, no display. Values
// that reach this package from the wire have been decoded, validated and
// sanitised by the packages below api.
package model
