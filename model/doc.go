// Package model has the values of a carbon-credit marketplace that its subpackages share:
// quantities, money, projects and the keys of vintages. The subpackages are market,
// portfolio, retirement, alert, statement, attribute, basket and filter.
//
// The package is pure: no input or output, no clock, no display. Packages below api
// decode, validate and sanitise values from the network before they become values of
// this package.
package model
