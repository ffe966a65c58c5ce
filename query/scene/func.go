package scene

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// The test of a query.Func takes boxes of the space of the scene. A walk tests the image of each box of a part. Boxes
// of instances are not tested as objects: the bounds of the part are tested, once for each instance.

// relateLevel tests the boxes of a level against the volume of the caller.
type relateLevel struct {
	walk  *volumeWalk
	image image       // to the space of the scene
	box   [1]soa.AABB // the one that is tested
	to    [1]exact.Relation
}

// setFunc prepares a walk whose volume has a tester.
func (w *volumeWalk) setFunc(l *level) {
	l.relate.walk, l.relate.image.levels = w, 0
	w.tester, w.within = l.form.Test, l.lowered.Func.Bounds()
	l.lowered.Func.SetTester(&l.relate)
	l.form.Test = &l.relate
}

// relatePart tests the bounds of the part of a level.
func (w *volumeWalk) relatePart(depth int, bounds *soa.AABB) exact.Relation {
	outer, l := &w.levels[depth-1], &w.levels[depth]
	l.relate.walk = w
	l.relate.image.compose(&outer.relate.image, l.transform)
	if l.form == &l.own {
		l.form.Test = &l.relate
	}
	return l.relate.relation(bounds)
}

// Relate tests the images of boxes. It panics if the test of the caller has changed the scene.
func (r *relateLevel) Relate(boxes []soa.AABB, to []exact.Relation) {
	for i := range boxes {
		to[i] = r.relation(&boxes[i])
	}
}

// relation tests the image of a box.
func (r *relateLevel) relation(box *soa.AABB) exact.Relation {
	w := r.walk
	var whole bool
	if r.box[0], whole = r.image.of(box); !w.within.Overlaps(r.box[0]) {
		return exact.Outside
	}
	w.tester.Relate(r.box[:], r.to[:])
	w.levels[0].view.Objects()
	if !whole && r.to[0] == exact.Inside {
		return exact.Partly
	}
	return r.to[0]
}

// image is the composition of the transforms on the path of a part.
type image struct {
	levels int // number of transforms that are not the identity; 2 stands for more
	one    *xform.Transform
	m, off [3][4]float64 // of more: rows, and bounds of the errors of their numbers
}

// compose sets p to a transform followed by outer.
func (p *image) compose(outer *image, transform *xform.Transform) {
	if transform.AtMost(xform.Identity) {
		*p = *outer
		return
	}
	if outer.levels == 0 {
		p.levels, p.one = 1, transform
		return
	}
	var rows, outerRows [12]float64
	transform.ReadRows(&rows)
	m, off := &outer.m, &outer.off
	if outer.levels == 1 {
		outer.one.ReadRows(&outerRows)
		m, off = new([3][4]float64), new([3][4]float64)
		for i := range m {
			copy(m[i][:], outerRows[4*i:])
		}
	}
	for i := range 3 {
		for j := range 4 {
			sum, size, lost := 0.0, 0.0, 0.0
			for k := range 3 {
				x := float64(m[i][k] * rows[4*k+j])
				sum += x
				size += math.Abs(x)
				lost += float64(off[i][k] * math.Abs(rows[4*k+j]))
			}
			if j == 3 {
				sum += m[i][3]
				size += math.Abs(m[i][3])
				lost += off[i][3]
			}
			p.m[i][j], p.off[i][j] = sum, float64((lost+float64(size*0x1p-50))*(1+0x1p-50))
		}
	}
	p.levels, p.one = 2, nil
}

// of returns a box of float32 that contains the exact image of a box, and whether the largest float32 do not cut it
// off.
func (p *image) of(b *soa.AABB) (image soa.AABB, whole bool) {
	switch p.levels {
	case 0:
		return *b, true
	case 1:
		image = p.one.Box(b)
	default:
		for i := range 3 {
			m, off := &p.m[i], &p.off[i]
			lo, hi, lost, size := m[3], m[3], off[3], math.Abs(m[3])
			for j := range 3 {
				x, y := float64(m[j]*float64(b.Min[j])), float64(m[j]*float64(b.Max[j]))
				lo += min(x, y)
				hi += max(x, y)
				size += max(math.Abs(x), math.Abs(y))
				lost += float64(off[j] * float64(max(-b.Min[j], b.Max[j])))
			}
			lost = float64((lost + float64(size*0x1p-50)) * (1 + 0x1p-50))
			image.Min[i], image.Max[i] = soa.Below(lo, lost), soa.Above(hi, -lost)
		}
	}
	whole = true
	for i := range 3 {
		if image.Min[i] < -math.MaxFloat32 || image.Max[i] > math.MaxFloat32 {
			image.Min[i], image.Max[i] = max(image.Min[i], -math.MaxFloat32), min(image.Max[i], math.MaxFloat32)
			whole = false
		}
	}
	return image, whole
}
