// Package wire reads and writes the JSON of the marketplace's interface.
//
// Decoding is strict about shape and forgiving about content. A body that is
// not the documented object (another type, a required member missing, a member
// twice, cut off, trailing bytes) is an error of type *Error. A value that
// cannot be read within a body that can, such as a price that is not digits,
// is a model.Fault: the record is kept with the value marked unknown.
//
// Every text is sanitised by Clean before it becomes a value of model.
package wire
