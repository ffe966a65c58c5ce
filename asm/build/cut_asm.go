//go:build (amd64 || arm64) && !purego

package build

import "github.com/zoctree/zoctree/internal/cpu"

func (s *CutScratch) middle(run []uint32, least, most uint32, n int) (at uint32, take int) {
	if cpu.Active == cpu.Go {
		return s.middleByBins(run, least, most, n)
	}
	return middleByCounts(run, least, most, n)
}

// middleByCounts finds the median by bisection of the range of coordinates. Registers compare 4 to
// 16 coordinates in a cycle or two, so this is faster than counting bins.
func middleByCounts(run []uint32, least, most uint32, n int) (at uint32, take int) {
	// Fewer than n coordinates are below lo, more than n below hi.
	lo, hi, below := least, most+1, 0
	for hi-lo > 1 {
		at := lo + (hi-lo)/2
		k := 0
		for i := 0; i < len(run); i += cutRowsPerCall {
			k += cutCount(run[i:min(i+cutRowsPerCall, len(run))], at)
		}
		switch {
		case k == n:
			return at, 0
		case k < n:
			lo, below = at, k
		default:
			hi = at
		}
	}
	return lo, n - below
}
