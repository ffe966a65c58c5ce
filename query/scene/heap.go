package scene

// pushKey adds a key to a heap with the smallest on top.
func pushKey(heap []uint64, key uint64) []uint64 {
	heap = append(heap, key)
	i := len(heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if heap[up] <= key {
			break
		}
		heap[i] = heap[up]
		i = up
	}
	heap[i] = key
	return heap
}

// popKey removes the smallest key from a heap that is not empty.
func popKey(heap []uint64) (least uint64, rest []uint64) {
	n := len(heap) - 1
	least = heap[0]
	key := heap[n]
	heap = heap[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && heap[c+1] < heap[c] {
			c++
		}
		if key <= heap[c] {
			break
		}
		heap[i] = heap[c]
		i = c
	}
	if n > 0 {
		heap[i] = key
	}
	return least, heap
}

// push adds a neighbour to the heap best.
func (w *search) push(n near) {
	w.best = append(w.best, n)
	heap := w.best
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if w.compare(&heap[i], &heap[up]) <= 0 {
			break
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
}

// sink moves the neighbour on top of the heap best down to its place.
func (w *search) sink() {
	heap := w.best
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && w.compare(&heap[c+1], &heap[c]) > 0 {
			c++
		}
		if w.compare(&heap[c], &heap[i]) <= 0 {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}
