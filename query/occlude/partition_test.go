package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// Figure 4 of the paper: of 1,331 spheres that move behind a partition about 1,000 are in the frustum and
// about 500 visible. A box is behind a single convex occluder if its corners are, so the hidden set is
// known.
func TestPartition(t *testing.T) {
	objects := append(spheres(0), partition)
	tree := plant(t, objects, linear.Config{})
	culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: wallBit})
	ids, boxes := make([]uint32, len(objects)), make([]soa.AABB, len(objects))
	wall := boxBody(partition.Box)
	shown, hidden, found, inFrustum := 0, 0, 0, 0
	const frames = 60
	for frame := range frames {
		for i, o := range append(spheres(frame), partition) {
			ids[i], boxes[i] = uint32(i), o.Box
		}
		testkit.Must(t, tree.MoveBatch(ids, boxes))
		testkit.Must(t, tree.Tick())
		camera := audience
		camera.Eye[0] = float64(frame)/10 - 3
		testkit.Must(t, culler.SetCamera(camera))
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{Mask: 1})
		visible := setOf(culler.Append(nil, tree.View(), query.Filter{Mask: 1}))
		rays := culler.Rays()
		pixels := pixelsOf(&rays)
		for _, id := range all {
			behind := true
			for i := range 8 {
				var p [3]float64
				for a := range 3 {
					if p[a] = float64(boxes[id].Min[a]); i>>a&1 != 0 {
						p[a] = float64(boxes[id].Max[a])
					}
				}
				x, y, depth := pixels(p)
				in, _, ok := ray{&rays, x, y}.meets(&wall)
				behind = behind && ok && in < depth
			}
			if behind {
				if hidden++; !visible[id] {
					found++
				}
			} else if !visible[id] {
				// The box may be outside the picture, or partly so.
				if x, y, _ := pixels(wide(boxes[id].Center())); x > 20 && y > 20 && x < 492 && y < 268 {
					t.Fatalf("frame %d: sphere %d at %v %v is not visible", frame, id, x, y)
				}
			}
		}
		shown += len(visible)
		inFrustum += len(all)
	}
	t.Logf("in the mean %d in the frustum, %d visible; %d of %d hidden ones were found", inFrustum/frames, shown/frames, found, hidden)
	if n := inFrustum / frames; n < 900 || n > 1200 {
		t.Errorf("%d spheres are in the frustum", n)
	}
	if n := shown / frames; n < 400 || n > 600 {
		t.Errorf("%d spheres are visible", n)
	}
	if found*100 < hidden*99 {
		t.Errorf("%d of %d hidden spheres were found", found, hidden)
	}
}
