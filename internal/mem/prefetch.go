package mem

import "unsafe"

// prefetchPerCall is the number of rows that one call prefetches: some 10 microseconds if each line
// waits for a free slot on its way from memory (BenchmarkPrefetch).
const prefetchPerCall = 128

// prefetchAbove is the size of a column in bytes that is in the cache, most likely, when it is used in each frame: a
// prefetch costs more than it saves.
const prefetchAbove = 1 << 16

// Prefetch loads the cache lines of the rows index[i]>>shift of a column into the cache, so that
// their cache misses overlap. A list of locations has the shift 4. Prefetch changes no memory, and
// rows beyond the column are harmless. It does not allocate.
func Prefetch[T any, I ~uint32](column []T, index []I, shift uint) {
	row := unsafe.Sizeof(*new(T))
	if uintptr(len(column))*row <= prefetchAbove {
		return
	}
	base := unsafe.Pointer(unsafe.SliceData(column))
	for len(index) > 0 {
		k := min(len(index), prefetchPerCall)
		prefetch(base, (*uint32)(unsafe.Pointer(&index[0])), k, shift, row)
		index = index[k:]
	}
}
