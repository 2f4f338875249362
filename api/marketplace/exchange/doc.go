// Package exchange is the rules of the marketplace: what a purchase buys and
// refuses, how sell orders shrink, what invoices take, when months end and
// fractions move on, the life of a retirement request, serial numbers and API
// keys. It knows neither SQL nor HTTP: Books are what it keeps, declared beside
// the rules that need them.
//
// What was bought is queued for retirement or in a wallet, to the gram.
// Quantities are grams and prices USD cents per tonne, as integers.
package exchange
