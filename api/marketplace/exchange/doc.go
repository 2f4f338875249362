// Package exchange contains the rules of the marketplace, each next to its SQL: purchases,
// sell orders, invoices, the end of a month, retirement requests, serial numbers and API
// keys. It also contains the queries of the HTTP API and of the operator, but no HTTP. The
// SQL is the same for all database engines, which implement Database and Tx.
//
// Every gram that a tenant buys is either queued for retirement or in a wallet. Quantities
// are grams and prices USD cents per tonne, as integers. Start reading at RequestRetirement
// and CloseMonth.
package exchange
