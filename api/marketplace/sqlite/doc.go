// Package sqlite keeps a marketplace in one SQLite file: one connection that
// writes, several that read. It implements exchange.Database.
package sqlite
