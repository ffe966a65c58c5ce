// Package radix implements a parallel radix sort of Morton keys for batch builds. It returns the
// indices of 63-bit keys in ascending order of key, each packed with the top bits of its key. The
// sort is stable: equal keys stay in order of index. The result is a function of the keys alone,
// independent of options, machine and number of goroutines.
//
//	key    63 62                            30 29                         0
//	      +--+--------------------------------+----------------------------+
//	      |  | top, 33 bits: 11 levels        | low, 30 bits: 10 levels    |
//	      +--+--------------------------------+----------------------------+
//	        \ ignored       |
//	item   63               v              31 30                          0
//	      +----------------------------------+-----------------------------+
//	      | top, 33 bits                     | index in keys, 31 bits      |
//	      +----------------------------------+-----------------------------+
//
// Items are distinct, so comparing two of them compares top and then index. The low bits, which are
// not in the item, are sorted too. A payload of the keys is not moved by the sort: it is
// payload[Index(item)].
//
// # Steps
//
//	keys --ascend--> nearly sorted: only keys out of order are sorted, and merged in
//	  |
//	  | split: one pass by prefixes of the top 11 bits, longer where keys are many,
//	  | few enough for buckets of 2^11 or so
//	  v
//	items  |  bucket  |  bucket  | ...     each on its own, in the cache:
//	       |
//	       | two passes, low digit first, by the next log2(n)+5 bits
//	       v
//	       runs that agree so far: insertion sort up to 16 items,
//	       |                       else two passes by the next bits
//	       v
//	       runs that agree in all of top: the same steps with the low bits,
//	                                      fetched from keys[index]
//
// If many keys of a bucket agree, it would fall into many small runs; after one such bucket, the
// next is sorted by all its bits, in four passes. Bits that all keys of a long range share are
// detected and skipped. Only insertion sort is quadratic, and its length is bounded, so the cost is
// O(n) for any keys.
//
// Several workers each count and scatter a chunk of the keys. They scatter bucket by bucket, and
// within a bucket chunk by chunk, to the same positions as one goroutine would. Then each worker
// takes one bucket after another. A bucket is sorted by one worker, so keys that all share their
// top bits are sorted serially.
//
// # Choice of digits
//
// A pass keeps one cache line open for each value of its digit. The hardware prefetcher follows
// about 32 of these lines while they are loaded. Three passes of 11 bits over all keys cost 8.7 ns
// a key at 100 k and 11.2 at 1 M. A split by 5 bits and two passes over each bucket cost 6.1 and
// 7.7: a pass in the L1 cache costs 0.7 to 1.1 ns a key, and one of 11 bits out of it 2.4 to 3.3.
// With items out of the cache a split of 1 M keys by 9 bits cost 12 ns in all, by 5 bits 9. So keys
// are split from 2,048 on, not only when they exceed the caches. They are split by more than 5 bits
// only when buckets would exceed the second-level cache, from 2 M on.
//
// This number of bits suffices for uniform keys. The keys of a scene are clustered, or fill only a
// part of their range, since the side of the world is a power of two. So a prefix with half as many
// keys again as a bucket should have is divided further, up to 11 bits. Without this, nearly all of
// 10,000 uniform boxes were in one of eight buckets.
//
// # Cost
//
// Serial, on a shared 2-core Xeon (family 6, model 207), items out of the cache; ratio is the time
// of slices.Sort on the keys alone divided by the time of Order:
//
//	keys                     100 k             1 M
//	uniform            6.6 ns, 10.4     9.1 ns, 9.1
//	clustered         16.4 ns,  4.3    20.9 ns, 3.9
//	equal in top      12.1 ns,  5.9    19.2 ns, 4.6
//	nearly sorted      4.2 ns,  3.2     4.0 ns, 4.4
//	sorted             0.8 ns,  0.7     1.1 ns, 0.6
//
//	go test -run xx -bench Ratio -benchtime 15x ./internal/radix
//
// In repeated runs with the items still in the cache, 1 M uniform keys cost 7.9 ns each with one
// worker and 4.9 with two, clustered ones 19.5 and 11.3:
//
//	go test -run xx -bench 'Order/n=1000000$' -benchtime 20x ./internal/radix
//
// Memory is 8 bytes a key and a copy of the longest bucket for each worker; see [Scratch.Bytes]. A
// serial sort in steady state does not allocate.
//
// # Goroutines
//
// A [Scratch] is used by one sort at a time; several sorts may read the same keys concurrently.
// With one worker all work is done on the caller's goroutine. Workers are started for each step,
// and all have ended when Order returns.
package radix
