// Package postgres keeps a marketplace in a PostgreSQL database, which several
// instances of the service may share. It runs what storage says.
package postgres
