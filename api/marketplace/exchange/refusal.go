package exchange

// Refusal says why the exchange does not do what it was asked for. Whoever
// asked is told.
type Refusal struct {
	// Code is an error code of the interface, such as SELL_ORDER_NOT_LIVE.
	Code string
	// Message is a sentence without its full stop.
	Message string
}

// Error is the code and the message.
func (r *Refusal) Error() string { return r.Code + " " + r.Message }

func refuse(code, message string) *Refusal { return &Refusal{code, message} }
