package uitest

import "runtime"

// Memory is the memory use of a program.
type Memory struct {
	// Heap is in bytes.
	Heap       int64
	Goroutines int
}

// InUse returns the memory in use after garbage collection.
func InUse() Memory {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return Memory{int64(m.HeapAlloc), runtime.NumGoroutine()}
}
