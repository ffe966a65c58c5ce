package build

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// A CutRun is a run of objects in columns, of any length: the coordinates of each object on the
// grid of keys, below 2^21, and a number that moves with it. It is split like a [Cut]; of equal
// coordinates, the order of the run decides.
type CutRun struct {
	At [3][]uint32
	Of []uint32
}

// Fresh makes room for n objects. The former contents are lost.
func (r *CutRun) Fresh(n int) {
	for a := range r.At {
		r.At[a] = mem.Fresh(r.At[a], n)
	}
	r.Of = mem.Fresh(r.Of, n)
}

// Slice returns the objects lo to hi-1.
func (r *CutRun) Slice(lo, hi int) CutRun {
	return CutRun{[3][]uint32{r.At[0][lo:hi], r.At[1][lo:hi], r.At[2][lo:hi]}, r.Of[lo:hi]}
}

// Memory returns the bytes of the columns.
func (r *CutRun) Memory() int {
	return 4 * (cap(r.At[0]) + cap(r.At[1]) + cap(r.At[2]) + cap(r.Of))
}

// CutScratch is the scratch memory of [CutRun.Halve], which partitions the objects of a cell. It grows as needed. The
// zero value is ready to use.
type CutScratch struct {
	upper CutRun   // the upper part
	ties  []uint32 // candidates for the median coordinate
}

// Memory returns the bytes of the scratch memory.
func (s *CutScratch) Memory() int { return s.upper.Memory() + 4*cap(s.ties) }

// Halve splits the run on its longest axis, so that the lower part is the first mid objects: see
// [Cut]. It takes O(n) time, and allocates only while the scratch memory grows.
//
// It panics if a column is shorter than the run or mid is out of range.
func (r *CutRun) Halve(mid int, s *CutScratch) {
	n := len(r.Of)
	if mid < 0 || mid > n || len(r.At[0]) < n || len(r.At[1]) < n || len(r.At[2]) < n {
		panic(fmt.Sprintf("build: CutRun.Halve: at %d of %d objects with coordinates of %d, %d, %d",
			mid, n, len(r.At[0]), len(r.At[1]), len(r.At[2])))
	}
	if mid == 0 || mid == n {
		return
	}
	run := r.Slice(0, n)
	axis, least, most := run.longestAxis()
	if least == most {
		return // all in one grid cell: their order decides
	}
	on := run.At[axis]
	at, take := s.middle(on, least, most, mid)
	last := 0 // end of the lower objects with the median coordinate
	for ; take > 0; last++ {
		if on[last] == at {
			take--
		}
	}
	if len(s.upper.Of) < n+soa.Lanes {
		s.upper.Fresh(2*n + soa.Lanes)
	}
	p := cutPartArgs{on: axis}
	for a := range run.At {
		p.from[a], p.upper[a] = &run.At[a][0], &s.upper.At[a][0]
	}
	p.from[3], p.upper[3] = &run.Of[0], &s.upper.Of[0]
	p.below(at+1, last)
	p.below(at, n)
	for a := range run.At {
		copy(run.At[a][mid:], s.upper.At[a])
	}
	copy(run.Of[mid:], s.upper.Of)
}

// longestAxis returns the axis of the largest span, and the minimum and maximum on it.
func (r *CutRun) longestAxis() (axis int, least, most uint32) {
	for a, x := range r.At {
		lo, hi := x[0], x[0]
		for i := 0; i < len(x); i += cutRowsPerCall {
			k, l := cutEnds(x[i:min(i+cutRowsPerCall, len(x))])
			lo, hi = min(lo, k), max(hi, l)
		}
		if a == 0 || hi-lo > most-least {
			axis, least, most = a, lo, hi
		}
	}
	return axis, least, most
}

// cutPartArgs is the argument of a kernel that partitions a run. Rows i to n-1 move to the rows
// from down on if they are below at, else to the rows from up on of upper.
type cutPartArgs struct {
	from  [4]*uint32 // columns of the run: x, y, z, number
	upper [4]*uint32 // with room for a whole register behind the last row
	on    int        // the column that is compared
	at    uint32
	i     int // out: the next row
	n     int
	down  int // in and out; at most i
	up    int // in and out
}

// Kernels step over the columns.
var _ [0]struct{} = [unsafe.Sizeof(*cutPartArgs{}.from[0]) - 4]struct{}{}

// below partitions the rows from the next one to n-1.
func (p *cutPartArgs) below(at uint32, n int) {
	p.at = at
	for p.i < n {
		p.n = min(p.i+cutRowsPerCall, n)
		cutPart(p)
	}
}

// The median of a run at n is a coordinate at and a count take. The lower n objects are all objects
// below at, and the first take objects that are equal to at. Coordinates are in least to most, and
// n is more than 0 and less than the length of the run.

// middleByBins finds the median by counting bins.
func (s *CutScratch) middleByBins(run []uint32, least, most uint32, n int) (at uint32, take int) {
	const binBits = 8
	shift := max(bits.Len32(most-least)-binBits, 0)
	var count [1 << binBits]uint32
	for _, x := range run {
		count[(x-least)>>shift&(1<<binBits-1)]++
	}
	bin, below := 0, 0
	for below+int(count[bin]) < n {
		below += int(count[bin])
		bin++
	}
	if shift == 0 {
		return least + uint32(bin), n - below
	}
	// Of the coordinates in the median bin, select the one of rank n-below.
	s.ties = s.ties[:0]
	for _, x := range run {
		if x := x - least; x>>shift == uint32(bin) {
			s.ties = append(s.ties, x)
		}
	}
	x, lower := nth(s.ties, n-below-1)
	return least + x, n - below - lower
}

// nth returns the number of rank n (from 0), and the count of smaller numbers. It reorders x.
func nth(x []uint32, n int) (at uint32, less int) {
	for {
		if len(x) <= 16 {
			for i := 1; i < len(x); i++ {
				for j := i; j > 0 && x[j-1] > x[j]; j-- {
					x[j-1], x[j] = x[j], x[j-1]
				}
			}
			at = x[n]
			k := n
			for k > 0 && x[k-1] == at {
				k--
			}
			return at, less + k
		}
		// The pivot is the median of three numbers.
		a, b, d := x[0], x[len(x)/2], x[len(x)-1]
		pivot := max(min(a, b), min(max(a, b), d))
		i, k := 0, len(x)
		for j := 0; j < k; {
			switch v := x[j]; {
			case v < pivot:
				x[j], x[i] = x[i], v
				i++
				j++
			case v > pivot:
				k--
				x[j], x[k] = x[k], v
			default:
				j++
			}
		}
		switch { // x[:i] is below the pivot, x[i:k] equal, x[k:] above
		case n < i:
			x = x[:i]
		case n < k:
			return pivot, less + i
		default:
			x, n, less = x[k:], n-k, less+k
		}
	}
}

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
