// Package table is the data table of the dashboard. It shows typed rows of a
// Source through columns that are data, and keeps the cursor on a thing: a
// refresh, a sort or a filter never moves it to another row, nor the row on
// the screen.
//
// Only the rows on the screen are formatted. Sort and filter work on row
// numbers; if there are many rows they are done by Work, off the goroutine
// of the user interface.
//
// A Table is not safe for concurrent use. What Work returns is safe to run
// anywhere, because a Source never changes.
package table
