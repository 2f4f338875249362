// Package marketplace is the marketplace service: the HTTP API on top of the rules in
// package exchange, and the commands of an operator. It contains no rules and no SQL.
//
// A request is answered from one read transaction, or makes all its changes in one write
// transaction. Every query is limited to the tenant of the API key. Start reading at
// Marketplace.Handler, which lists the endpoints; Operate runs the operator's commands.
package marketplace
