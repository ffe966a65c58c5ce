//go:build amd64 && !purego

package build

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func cutLoad(c *Cut, x, y, z []uint32) {
	switch cpu.Active {
	case cpu.AVX512:
		cutLoadAVX512(c, &x[0], &y[0], &z[0], len(x))
	case cpu.AVX2:
		cutLoadAVX2(c, &x[0], &y[0], &z[0], len(x))
	default:
		cutLoadGo(c, x, y, z)
	}
}

//go:noinline
func cutHalve(c *Cut, steps []CutStep) {
	switch cpu.Active {
	case cpu.AVX512:
		cutHalveAVX512(c, &steps[0], len(steps))
	case cpu.AVX2:
		cutHalveAVX2(c, &steps[0], len(steps))
	default:
		cutHalveGo(c, steps)
	}
}

//go:noinline
func cutDecode(x, y, z []uint32, keys []uint64) {
	whole := len(keys) &^ 7
	if whole > 0 {
		switch cpu.Active {
		case cpu.AVX512:
			cutDecodeAVX512(&x[0], &y[0], &z[0], &keys[0], whole)
		case cpu.AVX2:
			cutDecodeAVX2(&x[0], &y[0], &z[0], &keys[0], whole)
		default:
			whole = 0
		}
	}
	cutDecodeGo(x[whole:], y[whole:], z[whole:], keys[whole:])
}

//go:noinline
func cutEnds(x []uint32) (least, most uint32) {
	if len(x) >= 16 {
		// The last register ends at the last row, so some rows are read twice.
		switch cpu.Active {
		case cpu.AVX512:
			return cutEndsAVX512(&x[0], len(x))
		case cpu.AVX2:
			return cutEndsAVX2(&x[0], len(x))
		}
	}
	return cutEndsGo(x)
}

//go:noinline
func cutCount(x []uint32, at uint32) (below int) {
	whole := len(x) &^ 63
	if whole > 0 {
		switch cpu.Active {
		case cpu.AVX512:
			below = cutCountAVX512(&x[0], whole, at)
		case cpu.AVX2:
			below = cutCountAVX2(&x[0], whole, at)
		default:
			whole = 0
		}
	}
	return below + countBelow(x[whole:], at)
}

//go:noinline
func cutPart(p *cutPartArgs) {
	switch cpu.Active {
	case cpu.AVX512:
		cutPartAVX512(p)
	case cpu.AVX2:
		cutPartAVX2(p)
	}
	cutPartGo(p) // rows that do not fill a register
}

//go:noescape
func cutLoadAVX512(c *Cut, x, y, z *uint32, n int)

//go:noescape
func cutLoadAVX2(c *Cut, x, y, z *uint32, n int)

//go:noescape
func cutHalveAVX512(c *Cut, steps *CutStep, n int)

//go:noescape
func cutHalveAVX2(c *Cut, steps *CutStep, n int)

//go:noescape
func cutDecodeAVX512(x, y, z *uint32, keys *uint64, n int)

//go:noescape
func cutDecodeAVX2(x, y, z *uint32, keys *uint64, n int)

//go:noescape
func cutEndsAVX512(x *uint32, n int) (least, most uint32)

//go:noescape
func cutEndsAVX2(x *uint32, n int) (least, most uint32)

//go:noescape
func cutCountAVX512(x *uint32, n int, at uint32) (below int)

//go:noescape
func cutCountAVX2(x *uint32, n int, at uint32) (below int)

//go:noescape
func cutPartAVX512(p *cutPartArgs)

//go:noescape
func cutPartAVX2(p *cutPartArgs)
