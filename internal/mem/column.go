package mem

// Resize returns a column of n elements that starts on a cache line. The
// memory of col is reused when it is large enough, else the old elements are
// copied into new memory with room for half as many more: a column that grows row by
// row is copied twice in all. Elements beyond the old length are unspecified: the caller
// of Resize writes them before they are read. T is as in [Make].
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

// Fresh is [Resize] without keeping the contents, and without room for more: for
// columns that are about to be written from end to end.
func Fresh[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	return Make[T](n)
}

// FreshWithRoom is [Fresh] for a column that is going to grow by about so many elements
// more: there is room for a quarter of them, and in new memory for all.
func FreshWithRoom[T any](col []T, n, more int) []T {
	if n+more/4 > cap(col) {
		col = Make[T](n + more)
	}
	return col[:n]
}
