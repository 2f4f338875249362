package record

import (
	"context"
	"sync"
	"time"
)

const (
	// waiting is the maximum number of reads that wait for the disk. More are not recorded.
	waiting = 100
	// patience is how long Close waits for the disk.
	patience = 10 * time.Second
)

// Recorder records reads in the background. A nil Recorder records nothing.
type Recorder struct {
	service Service
	// report receives the first of several errors.
	report func(error)

	mu     sync.Mutex
	reads  []Read
	closed bool
	wake   chan struct{}
	done   chan struct{}
	cancel context.CancelFunc
}

// NewRecorder returns a running recorder. It passes the first error to report, from another goroutine,
// and again the first one after a success.
func NewRecorder(s Service, report func(error)) *Recorder {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{
		service: s, report: report, wake: make(chan struct{}, 1), done: make(chan struct{}), cancel: cancel,
	}
	go r.run(ctx)
	return r
}

// Add records a read later, and returns at once.
func (r *Recorder) Add(read Read) {
	if r == nil {
		return
	}
	r.mu.Lock()
	if !r.closed && len(r.reads) < waiting {
		r.reads = append(r.reads, read)
	}
	r.mu.Unlock()
	r.signal()
}

// Close waits until the reads are recorded, for up to 10 s, and ends the recorder.
func (r *Recorder) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.signal()
	defer time.AfterFunc(patience, r.cancel).Stop()
	<-r.done
	r.cancel()
}

func (r *Recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Recorder) next() (read Read, more, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.reads) == 0 {
		return read, false, r.closed
	}
	read, r.reads = r.reads[0], r.reads[1:]
	return read, true, false
}

func (r *Recorder) run(ctx context.Context) {
	defer close(r.done)
	failed := false
	for {
		read, more, ended := r.next()
		switch {
		case ended:
			return
		case !more:
			<-r.wake
			continue
		}
		err := r.service.Add(ctx, read)
		if err != nil && !failed && ctx.Err() == nil {
			r.report(err)
		}
		failed = err != nil
	}
}
