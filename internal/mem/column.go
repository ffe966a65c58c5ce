package mem

// Resize returns a column of n elements that starts on a cache line. It reuses the memory of col if
// that is large enough. Else it copies the old elements into new memory with room for half as many
// more, so that a column that grows row by row is copied twice in all. Elements beyond the old
// length are unspecified: the caller writes them before they are read. T is as in [Make].
func Resize[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	room := n
	if len(col) > 0 {
		room += n / 2
	}
	grown := Make[T](room)
	copy(grown, col)
	return grown[:n]
}

// Fresh is [Resize] that does not keep the contents and adds no room, for columns that are about to
// be written from end to end.
func Fresh[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	return Make[T](n)
}

// FreshWithRoom is [Fresh] for a column that is expected to grow by about `more` elements: it has
// room for at least a quarter of them, and in new memory for all.
func FreshWithRoom[T any](col []T, n, more int) []T {
	if n+more/4 > cap(col) {
		col = Make[T](n + more)
	}
	return col[:n]
}
