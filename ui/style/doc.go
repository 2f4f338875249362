// Package style makes styled text of an exact width, and holds the theme: one
// meaning, one style.
//
// A Line never becomes wider than it was started with and is padded to its
// full width; a Block is a number of lines, each exactly as wide as the block.
// Cut takes finished lines apart again.
// Styles are prepared when the theme is made, so that painting a cell is an
// append to one buffer. Text is measured in grapheme clusters, as the renderer
// of Bubble Tea does, and here alone: whoever measured with one function and cut
// with another would sooner or later meet a text on which they differ.
package style
