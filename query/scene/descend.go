package scene

import (
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// bounds returns the bounds of the searched objects of a side. ok is false if there are none.
func (s *pairSide) bounds(own bool) (b *soa.AABB, ok bool) {
	if b = &s.all; own && s.view.Instances().Len() > 0 {
		if !s.hasOwn {
			s.own, s.hasOwn = s.view.Objects().Bounds(), true
		}
		b = &s.own
	}
	return b, b.Min[0] <= b.Max[0]
}

// descend finds the pairs of objects of two sides; an own side has only its own objects.
func (w *join) descend(s, t *pairSide, ownS, ownT bool) {
	a, some := s.bounds(ownS)
	b, others := t.bounds(ownT)
	if !some || !others {
		return
	}
	var aInT, bInS relative
	if bInS.set(t, s, b, w.distance); !bInS.around.Overlaps(*a) {
		return
	}
	if aInT.set(s, t, a, w.distance); !aInT.around.Overlaps(*b) {
		return
	}
	switch {
	case !ownS && s.view.Instances().Len() > 0:
		w.descend(s, t, true, ownT)
		w.inner(s, t, &bInS.around, ownT)
	case !ownT && t.view.Instances().Len() > 0:
		w.descend(s, t, ownS, true)
		w.inner(t, s, &aInT.around, ownS)
	default:
		w.leaves(s, t, a, b, &aInT, &bInS)
	}
}

// inner descends into the instances of s that overlap a box around t in the space of s.
func (w *join) inner(s, t *pairSide, around *soa.AABB, own bool) {
	instances, outgrown := s.view.Instances(), s.view.Outgrown()
	from := len(w.ids)
	w.ids = boxQuery(around).Append(w.ids, instances, w.gate)
	for i := from; i < len(w.ids); i++ {
		if _, later := slices.BinarySearch(outgrown, w.ids[i]); !later {
			w.into(s, t, w.ids[i], own)
		}
	}
	w.ids = w.ids[:from]
	for _, id := range outgrown {
		if o, _ := instances.Object(id); w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0 {
			w.into(s, t, id, own)
		}
	}
}

func (w *join) into(s, t *pairSide, id uint32, own bool) {
	if r := w.enter(s, id); r != nil {
		w.descend(r, t, false, own)
		w.depth--
	}
}
