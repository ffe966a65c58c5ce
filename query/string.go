package query

import (
	"fmt"
	"math"
	"strings"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The texts of queries are for debugging: they may change, and they allocate.

// String returns the box from its minimum to its maximum.
func (b Box) String() string { return "box " + (*walk.Box)(&b).Bounds().String() }

// String returns the point, or the box if the point is not a float32.
func (p Point) String() string {
	b := (*walk.Point)(&p).Box().Bounds()
	if b.Min != b.Max {
		return "point in " + b.String()
	}
	return fmt.Sprintf("point %v", b.Min)
}

// String returns the centre, and the radius to six digits: the sphere holds its square, rounded
// up.
func (s Sphere) String() string {
	r, q := 0.0, (*walk.Sphere)(&s).Kernel()
	if scale := float64(q.Scale); scale > 0 {
		least := math.Ldexp(scale*scale, -148) // bound that the kernels add: see cull.MakeSphere
		r = math.Sqrt(max(float64(q.Limit)-least, 0)/(1+6*0x1p-24)) / scale
	}
	return fmt.Sprintf("sphere %v radius %.6g", q.Center, r)
}

// String returns the centre and the half axes.
func (b OrientedBox) String() string {
	return "oriented box " + (*walk.Oriented)(&b).Oriented().String()
}

// String returns the planes {nx, ny, nz, d} of [Frustum.Planes] to four digits, "all" for one that
// contains everything, and the options of the frustum.
func (f Frustum) String() string {
	text := planesString("frustum", f.q().Facets()[:])
	if f.q().IsPrecise() {
		text += ", precise"
	}
	if least := f.q().MinSize(); least > 0 {
		text += fmt.Sprintf(", minimum size %v", least)
	}
	return text
}

// String returns the planes, as [Frustum.String] does.
func (c Convex) String() string { return planesString("convex", (*walk.Convex)(&c).Facets()) }

func planesString(what string, planes [][4]float32) string {
	var text strings.Builder
	text.WriteString(what)
	for _, p := range planes {
		if p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] >= 0 {
			text.WriteString(" all")
		} else {
			fmt.Fprintf(&text, " %.4g", p)
		}
	}
	return text.String()
}

// String returns the origin, the direction, and the length unless it is [Unlimited].
func (r Ray) String() string {
	s := (*walk.Sweep)(&r)
	from, _ := s.Start()
	if s.Motion() == [3]float32{} {
		return "ray without hits"
	}
	text := fmt.Sprintf("ray from %v along %v", from, s.Motion())
	if s.Limit() < Unlimited {
		text += fmt.Sprintf(" to %v", float32(s.Limit()))
	}
	return text
}

// String returns the box and its motion.
func (b SweptBox) String() string {
	s := (*walk.Sweep)(&b)
	lo, hi := s.Start()
	return fmt.Sprintf("box %v moved by %v%s", soa.AABB{Min: lo, Max: hi}, s.Motion(), entering(s))
}

// String returns the centre, the radius and the motion of the ball.
func (b SweptSphere) String() string {
	s := (*walk.Sweep)(&b)
	center, radius := s.Sphere()
	return fmt.Sprintf("sphere %v radius %v moved by %v%s", center, radius, s.Motion(), entering(s))
}

func entering(s *walk.Sweep) string {
	if s.IsEntering() {
		return ", entering"
	}
	return ""
}

// String returns the point.
func (n Nearby) String() string { return fmt.Sprintf("nearby %v", n.point) }

// String returns the size of the image.
func (v Viewport) String() string { return fmt.Sprintf("viewport %v x %v", v.width, v.height) }

// String returns the restrictions of the filter, "all" if it keeps everything.
func (f Filter) String() string {
	var parts []string
	if f.Mask != 0 {
		parts = append(parts, fmt.Sprintf("mask %#x", f.Mask))
	}
	if f.Motion != AnyMotion {
		parts = append(parts, f.Motion.String())
	}
	if f.Exact {
		parts = append(parts, "exact")
	}
	if f.Only != nil {
		parts = append(parts, fmt.Sprintf("only of %d IDs", 64*len(f.Only)))
	}
	if f.Exclude != (soa.Handle{}) {
		parts = append(parts, "not "+f.Exclude.String())
	}
	if parts == nil {
		return "all"
	}
	return strings.Join(parts, ", ")
}

// String returns the range of depths, "-1 to 1", "0 to 1" or "1 to 0", and "infinite far".
func (c Clip) String() string {
	text := fmt.Sprintf("unknown(%#x)", uint8(c))
	if near := c &^ ClipInfiniteFar; near <= ClipReversedZ {
		text = [...]string{"-1 to 1", "0 to 1", "1 to 0"}[near]
	}
	if c&ClipInfiniteFar != 0 {
		text += ", infinite far"
	}
	return text
}

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (c Clip) MarshalText() ([]byte, error) { return enum.Marshal("query", c) }

// UnmarshalText reads a text of MarshalText. Another text is an error, and the value is unchanged.
func (c *Clip) UnmarshalText(text []byte) error { return enum.Unmarshal("query", c, text) }
