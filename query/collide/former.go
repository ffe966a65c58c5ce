package collide

import "github.com/zoctree/zoctree/linear"

// former is the pairs that there are in the order in which an update from all pairs
// found them. While objects only drift a tree changes little between two updates, and so
// does the order in which it tells its pairs: most of them cancel out one by one, with
// no search for any.
type former struct {
	pairs []Pair
	known bool // they are the pairs that there are
	next  []Pair
}

// Where two orders part, up to resyncMost pairs of one are skipped to where they meet
// again. All the looking takes resyncShare steps for each pair at most.
const (
	resyncMost  = 256
	resyncShare = 2
)

// find finds all pairs of a view.
func (f *former) find(v linear.View, flt Filter) { f.next = Append(f.next[:0], Within(v), flt) }

// cancel lists the former pairs that may end and the pairs found that may begin: all but
// those that are in both, in about the same order, and not renewed.
func (f *former) cancel(then, now *list, r *renewal) {
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

// resync returns how many pairs of x or of y are to be skipped so that both go on with
// the same, at most most; or one of each.
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

// renew makes the pairs found the former ones.
func (f *former) renew() { f.pairs, f.next, f.known = f.next, f.pairs, true }
