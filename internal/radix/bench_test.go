package radix

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
)

// pool returns enough keys that neither caches nor branch predictors learn a
// short input, and next the following n of them.
func pool(k kind, n int) (next func() []uint64) {
	many := 1 << 19
	if micro.Smoke() {
		many = 1 << 12
	}
	all := make([]uint64, 0, max(n, many))
	for len(all)+n <= cap(all) {
		all = append(all, k.make(seeded(len(all)+n), n)...)
	}
	at := 0
	return func() []uint64 {
		if at+n > len(all) {
			at = 0
		}
		at += n
		return all[at-n : at]
	}
}

func perKey(b *testing.B, n int) {
	b.SetBytes(int64(8 * n))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
}

func BenchmarkOrder(b *testing.B) {
	for _, n := range micro.Sizes(16, 64, 256, 1000, 10_000, 100_000, 1_000_000, 10_000_000) {
		for _, k := range kinds {
			b.Run(fmt.Sprintf("n=%d/keys=%s", n, k.name), func(b *testing.B) {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("impl=radix/workers=%d", workers), func(b *testing.B) {
						var s Scratch
						next := pool(k, n)
						sum := uint64(0)
						for b.Loop() {
							items, _ := s.Order(next(), Options{Workers: workers})
							sum += items[n/2]
						}
						perKey(b, n)
						b.ReportMetric(float64(s.Bytes())/float64(n), "B/key")
						sink = sum
					})
				}
				b.Run("impl=slices.Sort", func(b *testing.B) {
					next := pool(k, n)
					keys := make([]uint64, n)
					sum := uint64(0)
					for b.Loop() {
						copy(keys, next())
						slices.Sort(keys)
						sum += keys[n/2]
					}
					perKey(b, n)
					sink = sum
				})
			})
		}
	}
}

// BenchmarkRatio runs both sorts in turn and reports the ratio of the median times, so that other load of the machine
// affects both alike.
func BenchmarkRatio(b *testing.B) {
	for _, n := range micro.Sizes(100_000, 1_000_000) {
		for _, k := range kinds {
			b.Run(fmt.Sprintf("n=%d/keys=%s", n, k.name), func(b *testing.B) {
				var s Scratch
				next := pool(k, n)
				keys := make([]uint64, n)
				var radix, plain []time.Duration
				for b.Loop() {
					copy(keys, next())
					start := time.Now()
					items, _ := s.Order(keys, Options{})
					radix = append(radix, time.Since(start))
					sink += items[n/2]
					start = time.Now()
					slices.Sort(keys)
					plain = append(plain, time.Since(start))
					sink += keys[n/2]
				}
				r, p := median(radix), median(plain)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(r/float64(n), "radix-ns/key")
				b.ReportMetric(p/float64(n), "sort-ns/key")
				b.ReportMetric(p/r, "ratio")
			})
		}
	}
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2])
}

var sink uint64
