package radix

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/team"
)

const (
	// chunkMin is the least number of keys for which another worker is added.
	chunkMin = 1 << 15

	// bucketMax is the length up to which one of several workers copies a bucket to its own memory.
	// Longer buckets use a shared copy.
	bucketMax = 1 << largeBits

	// reports bounds the number of calls of Progress.
	reports = 64
)

// Options control how a sort runs; they never change its result. The zero value sorts on the
// caller's goroutine without cancellation.
type Options struct {
	// Workers is the number of goroutines, including the caller's. Fewer are used for few keys.
	// 0 means 1: the caller's.
	Workers int

	// Context, unless nil, cancels the sort when it ends. It is checked between passes and between
	// buckets.
	Context context.Context

	// Progress, unless nil, is called on the caller's goroutine with the number of keys in their
	// final position, which grows, and the total number of keys. The last call of a successful sort
	// of n > 0 keys is Progress(n, n). Progress must not use the Scratch. If it panics, all workers
	// end before the panic reaches the caller, and the Scratch is ready for the next sort.
	Progress func(done, total int)
}

// Scratch holds the buffers of a sort. The zero value is ready to use. One goroutine at a time may
// use a Scratch, and it must not be copied after the first use.
type Scratch struct {
	items   []uint64
	stray   strays
	spare   []uint64 // copies of long buckets when workers share the sort; buffer for few keys
	workers []*worker

	// State of the current sort, of all keys or of keys out of order.
	out      []uint64 // destination of the items
	most     int      // largest number of workers
	ctx      context.Context
	team     []*worker // workers in use; the caller is the first
	phase    phase
	cells    *cells       // nil before the first split
	next     atomic.Int32 // next bucket to take
	done     atomic.Int64 // number of keys in their final position
	halted   atomic.Bool  // a worker has panicked: the others must end
	reported int
	progress func(done, total int)

	goroutines team.Team
	step       func(member int) // a worker's part of the current phase, bound once
	halt       func()           // sets halted
}

// Order sorts keys and returns one item for each key, in ascending order of key and, among equal
// keys, of index. Bit 63 of a key is ignored. The result is valid until the next call of a method
// of s; the caller may overwrite it. Order only reads keys.
//
// If the context ends, Order returns its error and a nil result, and s is ready for the next sort.
// Order panics if there are more than [MaxLen] keys.
//
// The time is O(n) for any keys. A serial sort does not allocate if s has sorted as many similar
// keys before. [Options] control the number of workers.
func (s *Scratch) Order(keys []uint64, opt Options) (items []uint64, err error) {
	n := len(keys)
	checkLen(n)
	if opt.Context != nil {
		if err := opt.Context.Err(); err != nil {
			return nil, err
		}
	}
	s.begin(n, opt)
	defer s.end()

	if kept, ok := s.ascend(keys); ok {
		s.stray.items = grow(s.stray.items, n-kept)[:n-kept]
		if err := s.sort(s.stray.items, s.stray.keys); err != nil {
			return nil, err
		}
		s.mergeStrays(keys, kept)
	} else if err := s.sort(s.items, keys); err != nil {
		return nil, err
	}
	if s.progress != nil && s.reported < n {
		s.progress(n, n)
	}
	return s.items, nil
}

func checkLen(n int) {
	if n > MaxLen {
		panic(fmt.Sprintf("radix: %d keys exceed %d", n, MaxLen))
	}
}

// begin prepares the buffers and the workers for a sort of n keys.
func (s *Scratch) begin(n int, opt Options) {
	for n >= splitMin && len(s.workers) < teamOf(n, opt.Workers) {
		w := &worker{job: s}
		w.halted = &s.halted
		s.workers = append(s.workers, w)
	}
	if s.step == nil && len(s.workers) > 0 {
		s.step = func(member int) { s.team[member].step() }
		s.halt = func() { s.halted.Store(true) }
	}
	for _, w := range s.workers {
		w.ctx, w.err = opt.Context, nil
	}
	s.items = grow(s.items, n)[:n]
	s.most, s.ctx = opt.Workers, opt.Context
	s.progress, s.reported = opt.Progress, 0
}

// end drops references to values of the caller.
func (s *Scratch) end() {
	for _, w := range s.workers {
		w.keys, w.ctx = nil, nil
	}
	s.progress, s.ctx = nil, nil
}

// Bytes returns the size of the memory that s holds in bytes. It is 8 bytes a key, and for each
// worker 32 KiB and a copy of its longest bucket, which has about 2^16 keys at most when several
// share the sort. A sort of fewer than 2,048 keys needs only a copy, and no worker. Longer shared
// buckets add up to 8 bytes a key, nearly sorted keys up to 4 more.
func (s *Scratch) Bytes() int {
	words := cap(s.items) + cap(s.spare) + cap(s.stray.keys) + cap(s.stray.items) + (cap(s.stray.index)+1)/2
	for _, w := range s.workers {
		words += cap(w.tmp)
	}
	if s.cells != nil {
		words += int(unsafe.Sizeof(*s.cells)) / 8
	}
	return int(unsafe.Sizeof(*s)) + len(s.workers)*int(unsafe.Sizeof(worker{})) + 8*words
}

// Release frees the memory that s holds and with it the last result.
func (s *Scratch) Release() {
	s.items, s.stray, s.spare, s.workers = nil, strays{}, nil, nil
	s.out, s.team, s.cells = nil, nil, nil
}

// grow returns buf at its full capacity, or a new buffer if buf has no room for n words. The
// contents are not kept. A new buffer that replaces a shorter one has room for a quarter more, so
// that sorts of similar length soon stop allocating.
func grow(buf []uint64, n int) []uint64 {
	switch {
	case n <= cap(buf):
		return buf[:cap(buf)]
	case cap(buf) > 0:
		n += n / 4
	}
	return mem.Make[uint64](n)
}
