// Package wire reads and writes the JSON of the marketplace's interface.
//
// Decoding is strict about structure and lenient about content. A body is an
// *Error if it is not the documented object: another type, a missing required
// member, a duplicate member, cut off, trailing bytes. An invalid value in a valid
// body, such as a price with letters, is a model.Fault: the record is kept and
// the value is unknown.
//
// Every text is sanitised by Clean before it becomes a value of model.
package wire
