// Package chart draws prices over time and amounts as bars, in characters that
// are one cell wide.
package chart
