package scene

// ordered is the constraint of heap elements.
type ordered[T any] interface {
	*T
	before(*T) bool
}

// push adds x to a heap with the first on top.
func push[T any, P ordered[T]](heap []T, x T) []T {
	heap = append(heap, x)
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !P(&heap[i]).before(&heap[up]) {
			break
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
	return heap
}

// pop removes the first element from a heap that is not empty.
func pop[T any, P ordered[T]](heap []T) (first T, rest []T) {
	n := len(heap) - 1
	first, heap[0] = heap[0], heap[n]
	heap = heap[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return first, heap
		}
		if c+1 < n && P(&heap[c+1]).before(&heap[c]) {
			c++
		}
		if !P(&heap[c]).before(&heap[i]) {
			return first, heap
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}
