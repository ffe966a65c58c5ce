package radix

// A phase is a step that all workers run concurrently.
type phase uint8

const (
	countDigits phase = iota
	scatterKeys
	sortBuckets
)

// teamOf returns the number of workers for a sort of n keys, at most most.
func teamOf(n, most int) int { return max(min(most, n/chunkMin), 1) }

// sort writes the sorted items of keys to out. If it returns an error of the context, the contents
// of out are unspecified.
func (s *Scratch) sort(out, keys []uint64) error {
	n := len(keys)
	if n < splitMin {
		return s.few(out, keys)
	}
	s.out = out
	s.team = s.workers[:teamOf(n, s.most)]
	for i, w := range s.team {
		w.keys = keys
		w.low, w.clumped = false, false
		w.lo, w.hi = n/len(s.team)*i, n/len(s.team)*(i+1)
	}
	s.team[len(s.team)-1].hi = n
	s.next.Store(0)
	s.done.Store(0)
	s.halted.Store(false)
	if !s.team[0].stop() {
		s.split()
	}
	for _, w := range s.team {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// tinyMax is the number of keys up to which an insertion sort takes less time than clearing the counters of a sorter.
const tinyMax = 32

// tiny sorts a few keys by insertion.
func tiny(out, keys []uint64) {
	out = out[:len(keys)]
	for i, key := range keys {
		j := i
		for ; j > 0 && keys[out[j-1]&indexMask]<<1 > key<<1; j-- {
			out[j] = out[j-1]
		}
		out[j] = pack(key, i)
	}
}

// few sorts fewer than splitMin keys. Its counters are on the stack, because many trees are small.
func (s *Scratch) few(out, keys []uint64) error {
	if len(keys) == 0 || len(keys) <= tinyMax && s.ctx == nil {
		tiny(out, keys)
		return nil
	}
	one := sorter{keys: keys, ctx: s.ctx}
	if !one.stop() {
		packAll(out, keys)
		s.spare = grow(s.spare, len(keys))
		one.order(out, s.spare[:len(keys)], topBits)
	}
	return one.err
}

// split splits the keys into buckets and sorts each bucket.
func (s *Scratch) split() {
	n, first := len(s.out), s.team[0]
	if s.each(countDigits); first.stop() {
		return
	}
	longest := s.divide()
	if longest == n {
		first.whole()
		return
	}
	if s.each(scatterKeys); first.stop() {
		return
	}
	if len(s.team) > 1 && longest > bucketMax {
		s.spare = grow(s.spare, n)
		longest = bucketMax
	}
	for _, w := range s.team {
		if len(w.tmp) < longest {
			w.tmp = grow(w.tmp, longest+longest/8)
		}
	}
	s.each(sortBuckets)
}

// whole sorts all keys as one range.
func (w *worker) whole() {
	items := w.job.out
	packAll(items, w.keys)
	w.tmp = grow(w.tmp, len(items))
	w.order(items, w.tmp[:len(items)], topBits)
}

// divide computes the buckets, and the position of the first item that each worker puts into each
// bucket. Positions are ordered by bucket, and in a bucket by chunk, so that equal digits stay in
// order of index. divide returns the length of the longest bucket.
func (s *Scratch) divide() (longest int) {
	if s.cells == nil {
		s.cells = new(cells)
	}
	c, upTo := s.cells, &s.team[0].digits[1]
	sum := uint32(0)
	for d := range upTo {
		for _, w := range s.team {
			sum += w.digits[0][d]
		}
		upTo[d] = sum
	}
	mean := uint32(len(s.out) >> splitWidth(len(s.out)))
	c.divide(upTo, mean+mean/2)
	for b := range c.n {
		at := c.at[b]
		first := int(c.first[b])
		for _, w := range s.team {
			w.digits[1][b] = at
			for _, n := range w.digits[0][first : first+1<<c.wide[b]] {
				at += n
			}
		}
		longest = max(longest, int(at-c.at[b]))
	}
	return longest
}

// each runs a phase on all workers and returns after all have finished it.
func (s *Scratch) each(p phase) {
	s.phase = p
	s.goroutines.Run(len(s.team), s.step, s.halt)
}

// step runs a worker's part of the current phase.
func (w *worker) step() {
	switch w.job.phase {
	case countDigits:
		w.countDigits()
	case scatterKeys:
		w.scatterKeys()
	case sortBuckets:
		w.sortBuckets()
	}
}

// finished adds n keys to the number of keys in place. It reports progress at intervals, on the
// caller's goroutine.
func (s *Scratch) finished(w *worker, n int) {
	done := int(s.done.Add(int64(n)))
	if s.progress == nil || w != s.team[0] {
		return
	}
	if total := len(s.items); done == total || done-s.reported > total/reports {
		s.reported = done
		s.progress(done, total)
	}
}
