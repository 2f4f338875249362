package cli

// alongside starts work that has no other result than an error, and returns a
// function that waits for it as that of inBackground does.
func alongside(work func() error) (wait func() error) {
	ended := inBackground(func() (struct{}, error) { return struct{}{}, work() })
	return func() error {
		_, err := ended()
		return err
	}
}

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
