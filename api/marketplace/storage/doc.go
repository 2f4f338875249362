// Package storage is the SQL of the marketplace, once for all engines: the
// Books that the exchange writes, and what the interface and the operator
// read. An engine below it, such as sqlite, runs the statements.
//
// Parameters are $1, $2 and so on, in the order of their first use. A query
// must be read to its end before the next statement of its transaction: some
// engines answer one at a time. Sums and products are made in Go, never in
// SQL, but for one that is only shown.
package storage
