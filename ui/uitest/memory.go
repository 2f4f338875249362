package uitest

import "runtime"

// Memory is what a program has in use.
type Memory struct {
	// Heap is in bytes.
	Heap       int64
	Goroutines int
}

// InUse returns what is in use once what is not was collected.
func InUse() Memory {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return Memory{int64(m.HeapAlloc), runtime.NumGoroutine()}
}
