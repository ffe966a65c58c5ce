package collide

import "github.com/zoctree/zoctree/linear"

// previous holds the current pairs in the order in which the last update from all pairs found them.
// While objects only drift, a tree changes little between two updates, and so does the order of
// its pairs. Most of them cancel out one by one, without a search for any.
type previous struct {
	pairs []Pair
	known bool // pairs are the current ones
	next  []Pair
}

// If two orders diverge, up to resyncMost pairs of one are skipped to resynchronize them. All
// attempts together take at most resyncShare steps per pair.
const (
	resyncMost  = 256
	resyncShare = 2
)

// find finds all pairs of a view.
func (f *previous) find(v linear.View, flt Filter) { f.next = Append(f.next[:0], Within(v), flt) }

// cancel lists the former pairs that may end and the found pairs that may begin. It leaves out
// pairs that are in both, in about the same order, and not renewed.
func (f *previous) cancel(then, now *list, r *renewal) {
	x, y := f.pairs, f.next
	budget := resyncShare * len(x)
	for len(x) > 0 && len(y) > 0 {
		if x[0] == y[0] {
			if key := pack(x[0].A, x[0].B); r.of(key) {
				then.keys, now.keys = append(then.keys, key), append(now.keys, key)
			}
			x, y = x[1:], y[1:]
			continue
		}
		i, j, steps := resync(x, y, min(budget, resyncMost))
		budget -= steps
		then.addPairs(x[:i])
		now.addPairs(y[:j])
		x, y = x[i:], y[j:]
	}
	then.addPairs(x)
	now.addPairs(y)
}

// resync returns the number of pairs of x or of y to skip so that both continue with the same
// pair, at most most; or one of each.
func resync(x, y []Pair, most int) (i, j, steps int) {
	a, b := x[0], y[0]
	for d := 1; d <= most; d++ {
		if d < len(x) && x[d] == b {
			return d, 0, d
		}
		if d < len(y) && y[d] == a {
			return 0, d, d
		}
	}
	return 1, 1, most
}

// renew makes the found pairs the former ones.
func (f *previous) renew() { f.pairs, f.next, f.known = f.next, f.pairs, true }
