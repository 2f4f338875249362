// Package model has the values of a carbon-credit marketplace that all its subjects share:
// quantities, money, projects and the keys of vintages. The subjects are packages below:
// market, portfolio, retirement, alert, statement, attribute, basket and filter.
//
// Everything here is pure: no input or output, no clock, no display. Values
// that reach this package from the wire have been decoded, validated and
// sanitised by the packages below api.
package model
