package cli

// inBackground starts a call and returns a function that waits for its
// result. A panic in it belongs to whoever waits.
func inBackground[T any](call func() (T, error)) func() (T, error) {
	var value T
	var err error
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		value, err = call()
	}()
	return func() (T, error) {
		<-done
		if panicked != nil {
			panic(panicked)
		}
		return value, err
	}
}
