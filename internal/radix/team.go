package radix

// A phase is a step that all workers take together.
type phase uint8

const (
	countBuckets phase = iota
	scatterKeys
	sortBuckets
)

// teamOf returns how many workers sort n keys if most are allowed.
func teamOf(n, most int) int { return max(min(most, n/chunkMin), 1) }

// sort writes the ordered items of keys to out; after an error, of the context,
// what out holds is of no use.
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

// few sorts less than splitMin keys. Its counters are on the stack: many trees are
// small.
func (s *Scratch) few(out, keys []uint64) error {
	if len(keys) == 0 {
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

// split sorts by one digit into buckets and then each bucket.
func (s *Scratch) split() {
	n, first := len(s.out), s.team[0]
	s.width = splitWidth(n)
	if s.each(countBuckets); first.stop() {
		return
	}
	longest := s.offsets()
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

// offsets turns the workers' counts into the position of the first item that
// each worker puts into each bucket: bucket by bucket, and in a bucket chunk by
// chunk, so that equal digits stay in the order of index. It returns the length
// of the longest bucket.
func (s *Scratch) offsets() (longest int) {
	sum := uint32(0)
	if n := 1<<s.width + 1; cap(s.bounds) < n {
		s.bounds = make([]uint32, n)
	}
	s.bounds = s.bounds[:1<<s.width+1]
	for b := range 1 << s.width {
		s.bounds[b] = sum
		for _, w := range s.team {
			next := &w.buckets[0][b]
			*next, sum = sum, sum+*next
		}
		longest = max(longest, int(sum-s.bounds[b]))
	}
	s.bounds[1<<s.width] = sum
	return longest
}

// each runs a phase on all workers and returns when all are done.
func (s *Scratch) each(p phase) {
	s.phase = p
	s.wait.Add(len(s.team) - 1)
	for _, w := range s.team[1:] {
		go w.run()
	}
	s.team[0].step()
	s.wait.Wait()
}

// background is a worker's part of a phase on a goroutine of its own.
func (w *worker) background() {
	w.step()
	w.job.wait.Done()
}

// step is a worker's part of the phase at hand.
func (w *worker) step() {
	switch w.job.phase {
	case countBuckets:
		w.countBuckets()
	case scatterKeys:
		w.scatterKeys()
	case sortBuckets:
		w.sortBuckets()
	}
}

// finished counts n more keys as in place and reports them, now and then, on
// the caller's goroutine.
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
