//go:build arm64 && !purego

package build

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func cutLoad(c *Cut, x, y, z []uint32) {
	if cpu.Active == cpu.NEON {
		cutLoadNEON(c, &x[0], &y[0], &z[0], len(x))
		return
	}
	cutLoadGo(c, x, y, z)
}

//go:noinline
func cutHalve(c *Cut, steps []CutStep) {
	if cpu.Active == cpu.NEON {
		cutHalveNEON(c, &steps[0], len(steps))
		return
	}
	cutHalveGo(c, steps)
}

//go:noinline
func cutDecode(x, y, z []uint32, keys []uint64) {
	whole := 0
	if cpu.Active == cpu.NEON && len(keys) >= 4 {
		whole = len(keys) &^ 3
		cutDecodeNEON(&x[0], &y[0], &z[0], &keys[0], whole)
	}
	cutDecodeGo(x[whole:], y[whole:], z[whole:], keys[whole:])
}

//go:noinline
func cutEnds(x []uint32) (least, most uint32) {
	if cpu.Active == cpu.NEON && len(x) >= 16 {
		return cutEndsNEON(&x[0], len(x))
	}
	return cutEndsGo(x)
}

//go:noinline
func cutCount(x []uint32, at uint32) (below int) {
	whole := 0
	if cpu.Active == cpu.NEON && len(x) >= 16 {
		whole = len(x) &^ 15
		below = cutCountNEON(&x[0], whole, at)
	}
	return below + countBelow(x[whole:], at)
}

//go:noinline
func cutPart(p *cutPartArgs) {
	if cpu.Active == cpu.NEON {
		cutPartNEON(p)
	}
	cutPartGo(p) // rows that do not fill a register
}

//go:noescape
func cutLoadNEON(c *Cut, x, y, z *uint32, n int)

//go:noescape
func cutHalveNEON(c *Cut, steps *CutStep, n int)

//go:noescape
func cutDecodeNEON(x, y, z *uint32, keys *uint64, n int)

//go:noescape
func cutEndsNEON(x *uint32, n int) (least, most uint32)

//go:noescape
func cutCountNEON(x *uint32, n int, at uint32) (below int)

//go:noescape
func cutPartNEON(p *cutPartArgs)
