package collide

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Step is the motion of a box for continuous collision detection, linear during one time step: from one box at time 0
// to another at time 1, each coordinate at its own constant speed. For boxes with a previous state, they are From and
// To; for a box with a velocity, [Displace] makes a Step.
//
// The zero Step stands for an object at rest in the box that the tree holds.
type Step struct {
	From, To linear.AABB
}

// Displace returns the [Step] of an axis-aligned box that moves along a vector, its velocity times the length of
// the step. The sums are rounded to float32; a sum that exceeds float32 gives a box that a tree
// rejects.
func Displace(box linear.AABB, by [3]float32) Step {
	s := Step{From: box, To: box}
	for a := range 3 {
		s.To.Min[a] += by[a]
		s.To.Max[a] += by[a]
	}
	return s
}

// Swept returns the swept box of the step: the smallest box that contains From and To. The tree
// must hold it during the step.
func (s *Step) Swept() linear.AABB { return s.From.Union(s.To) }

// Impact is a pair of objects that touch during a time step, with their time of impact: the first
// time in [0, 1] at which they touch, 0 if they overlap at the start.
type Impact struct {
	A, B uint32
	Time float32
}

// AppendImpacts performs continuous collision detection. It appends the pairs of an object A and
// an object B whose closed boxes touch or overlap at some time of a step to dst, and returns it.
//
// The trees hold the swept box of each object ([Step.Swept]), and the steps of each view their
// motion by ID. An object without an entry, or with the zero Step, rests in the box that the tree
// holds. If steps are nil, all objects rest. [Within] one view stepsB is not read. Pairs and
// their order are those of [Append] with this filter but without Exact, less those that do not touch;
// [SortImpacts] sorts them by time.
//
// With Filter.Exact, bounding spheres and oriented boxes collide, as in Append: a pair in which at
// least one object has a bound touches at the first time at which each bound of one object touches
// each bound of the other. The moving box stands for an object without a bound. The tree holds the
// bounds at the start of the step: set them after the swept boxes ([linear.Tree.SetBounds]). They move
// as the middle of the box of the step does, and keep their size and orientation.
//
// The cost is that of Append on the swept boxes, and some 40 ns more for each pair of them if their
// steps are in the cache, more with bounds (go test -bench Contacts ./query/collide): choose a step
// that is short relative to the gaps between objects. It allocates only when dst lacks room. Any
// number of goroutines may query one view while no goroutine writes to steps. It panics if
// Filter.Distance is not 0.
//
// # Formulas
//
// Two boxes overlap while, on each axis and for each of both, the minimum of one is not above the
// maximum of the other. The gap, minimum less maximum, is f0 at the start and f1 at the end, in
// float64, and linear in between:
//
//	f0 <= 0, f1 <= 0    the whole time
//	f0 > 0,  f1 <= 0    from   f0/(f0-f1) * (1 - 2^-50)
//	f0 <= 0, f1 > 0     until  f0/(f0-f1) * (1 + 2^-50)
//	f0 > 0,  f1 > 0     never
//
// The boxes touch if the last of these beginnings, or 0, is not after the first of the ends, or
// 1. Time is that beginning rounded to float32. The signs are exact and the widening exceeds all
// rounding errors, so there are no false negatives. A false positive misses by less than a
// relative 2^-48 of its motion in the step. The result is the same on every CPU.
//
// With Filter.Exact, two bounds overlap in one interval of time, which is computed in float64 without
// iteration:
//
//	sphere, sphere        while the distance of the centres, whose square is a parabola, is at most
//	                      the sum of the radii
//	sphere, box           the same for the distance from the box, of up to seven parabolas
//	sphere, oriented box  the same in the frame of a box at right angles around the oriented one,
//	                      which is larger by up to 2^-17 of its half axes
//	oriented box, box     as two boxes, on each of the fifteen axes that can separate them
//	or another
//
// The radius is increased by 2^-46 * M, where M is the largest number in the test: the distances at the
// start and the end, motions, radii, and half axes. The gap of oriented boxes along an axis l is
// reduced by 2^-48 * (|lx|*mx + |ly|*my + |lz|*mz), where m is the sum of the sizes of both, as defined
// at query.OrientedBox, and the lengths of their motions. These margins exceed the rounding errors: there
// are no false negatives, and no time is late before it is rounded to float32. At that time the bounds
// are no more than twice the margin apart. Most pairs are decided without these tests: those that have a common point
// at the start, and those that one axis separates during the whole step, by more than the margin.
func AppendImpacts(dst []Impact, views Views, stepsA, stepsB *linear.Column[Step], flt Filter) []Impact {
	if flt.Distance != 0 {
		panic(fmt.Sprintf("collide: AppendImpacts with a Filter.Distance of %v, want 0", flt.Distance))
	}
	bounds := flt.Exact
	flt.Exact = false // the bounds at the start of the step need not overlap
	w := takeSearch(views, flt)
	if views.kind == within {
		stepsB = stepsA
	}
	dst = w.impacts(dst, stepsA, stepsB, bounds && (w.x.Packets.Bounded() || w.y.Packets.Bounded()))
	w.release()
	return dst
}

// impacts appends the impacts among all remaining hits, with the steps of the first and the
// second view, of bounds or of boxes.
func (w *search) impacts(dst []Impact, stepsX, stepsY *soa.Column[Step], bounds bool) []Impact {
	defer phase.Enter(phase.Pairs).Leave()
	x, y := &w.x.Packets, &w.y.Packets
	if w.swapped {
		stepsX, stepsY = stepsY, stepsX
	}
	if bounds {
		return w.boundImpacts(dst, stepsX, stepsY)
	}
	for w.next() {
		for _, h := range w.walk.Hits {
			slot, lane := h.A.Slot(), h.A.Lane()
			from := stepOf(stepsX, x, slot, lane)
			for m := h.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
				to := stepOf(stepsY, y, h.B, l)
				if t, ok := from.impact(&to); ok {
					p := w.pair(x.IDs[slot][lane], y.IDs[h.B][l])
					dst = append(dst, Impact{p.A, p.B, float32(t)})
				}
			}
		}
	}
	return dst
}

// stepOf returns the step of the object in a lane.
func stepOf(steps *soa.Column[Step], p *soa.PacketColumns, slot uint32, lane int) (s Step) {
	if steps != nil {
		s = steps.Get(p.IDs[slot][lane])
	}
	if s == (Step{}) {
		b := p.Box(slot, lane)
		s = Step{b, b}
	}
	return s
}

// impact returns the first time in [0, 1] at which the boxes touch.
func (s *Step) impact(o *Step) (t float64, ok bool) {
	w := exact.Always
	for a := range 3 {
		w.Line(gap(s.From.Min[a], o.From.Max[a]), gap(s.To.Min[a], o.To.Max[a]))
		w.Line(gap(o.From.Min[a], s.From.Max[a]), gap(o.To.Min[a], s.To.Max[a]))
	}
	return w.Enter, w.Enter <= w.Leave
}

// gap returns the distance of a minimum above a maximum.
func gap(lo, hi float32) float64 { return float64(lo) - float64(hi) }

// fewImpacts is the number of impacts up to which a sort by comparison takes about as long.
const fewImpacts = 64

// impactSort holds the buffers of a sort of impacts.
type impactSort struct {
	keys  []uint64
	list  []Impact
	radix radix.Scratch
}

var impactSorts = sync.Pool{New: func() any { return new(impactSort) }}

// SortImpacts sorts impacts by time, then A, then B. The time is proportional to their number. It allocates nothing
// once its buffers, 28 bytes for each impact, have grown.
func SortImpacts(impacts []Impact) {
	if len(impacts) <= fewImpacts || len(impacts) > radix.MaxLen {
		slices.SortFunc(impacts, compareImpacts)
		return
	}
	s := impactSorts.Get().(*impactSort)
	if !s.order(impacts) {
		slices.SortFunc(impacts, compareImpacts)
	}
	impactSorts.Put(s)
}

func compareImpacts(x, y Impact) int {
	return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
}

// order sorts the impacts by radix; it returns false if a time is negative or NaN, as none of [AppendImpacts] is.
//
//	key    63 62                31 30                 0
//	      +--+--------------------+--------------------+
//	      |0 | bits of Time       | A                  |   A and the bits of a time of 0 or more have 31 bits
//	      +--+--------------------+--------------------+
func (s *impactSort) order(impacts []Impact) bool {
	keys := slices.Grow(s.keys[:0], len(impacts))[:len(impacts)]
	s.keys = keys
	for i := range impacts {
		x := &impacts[i]
		if !(x.Time >= 0) || x.A > math.MaxInt32 {
			return false
		}
		keys[i] = uint64(math.Float32bits(x.Time+0))<<31 | uint64(x.A) // -0 + 0 is 0
	}
	items, _ := s.radix.Order(keys, radix.Options{}) // fails only if it is cancelled
	s.list = append(s.list[:0], impacts...)
	for i, item := range items {
		impacts[i] = s.list[radix.Index(item)]
	}
	// Impacts with the same key are in their former order: sort them by B.
	for first, k := 0, 1; k <= len(impacts); k++ {
		if k < len(impacts) && impacts[k].A == impacts[first].A && impacts[k].Time == impacts[first].Time {
			continue
		}
		if k-first > 1 {
			slices.SortFunc(impacts[first:k], func(x, y Impact) int { return cmp.Compare(x.B, y.B) })
		}
		first = k
	}
	return true
}
