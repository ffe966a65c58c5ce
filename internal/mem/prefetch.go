package mem

import "unsafe"

// prefetchPerCall rows are asked for in one call, some 10 microseconds when each
// line must wait for a free slot on its way from memory (BenchmarkPrefetch).
const prefetchPerCall = 128

// Prefetch asks for the cache lines of the rows index[i]>>shift of a column, so
// that they come from memory together and not one after the other when they are
// used: a list of places has the shift 4. It changes nothing, and
// rows that are not there do no harm. It does not allocate.
func Prefetch[T any, I ~uint32](column []T, index []I, shift uint) {
	row := unsafe.Sizeof(*new(T))
	base := unsafe.Pointer(unsafe.SliceData(column))
	for len(index) > 0 {
		k := min(len(index), prefetchPerCall)
		prefetch(base, (*uint32)(unsafe.Pointer(&index[0])), k, shift, row)
		index = index[k:]
	}
}
