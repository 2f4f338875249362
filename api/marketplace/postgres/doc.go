// Package postgres keeps a marketplace in a PostgreSQL database, which several
// instances of the service may share. It implements exchange.Database.
package postgres
