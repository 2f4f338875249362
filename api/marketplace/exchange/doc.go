// Package exchange is the rules of the marketplace, each with its SQL: what a
// purchase buys and refuses, sell orders, invoices, the end of a month, the life
// of a retirement request, serial numbers, API keys, and what the interface and
// the operator read. The SQL is the same for all engines, which implement
// Database and Tx.
//
// What was bought is queued for retirement or in a wallet, to the gram.
// Quantities are grams and prices USD cents per tonne, as integers.
package exchange
