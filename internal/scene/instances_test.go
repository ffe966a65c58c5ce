package scene_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// Parts are of all kinds and sizes, in the requested number; instances of each part are next to each other; a quarter
// of them are mirrored or affine.
func TestInstances(t *testing.T) {
	const instances, objects = 4000, 40
	parts, at := scene.Instances(instances, objects, 1)
	if len(parts) != scene.PartKinds || len(at) != instances {
		t.Fatalf("%d parts in %d instances", len(parts), len(at))
	}
	total, special, mirrored := 0, 0, 0
	for i := range at {
		in := &at[i]
		total += len(parts[in.Part])
		if i > 0 && at[i-1].Part > in.Part {
			t.Fatalf("instance %d has part %d, after an instance of part %d", i, in.Part, at[i-1].Part)
		}
		r := &in.Rows
		det := r[0]*(r[5]*r[10]-r[6]*r[9]) - r[1]*(r[4]*r[10]-r[6]*r[8]) + r[2]*(r[4]*r[9]-r[5]*r[8])
		if det < 0 {
			mirrored++
		}
		if math.Abs(det-1) > 1e-9 {
			special++
		}
		if !(math.Abs(det) > 0.1) || r[11] != 0 {
			t.Errorf("instance %d has the rows %v", i, r)
		}
	}
	if off := math.Abs(float64(total)/(instances*objects) - 1); off > 0.03 {
		t.Errorf("%d objects in %d instances, want about %d in each", total, instances, objects)
	}
	if special < instances/5 || special > instances*3/10 || mirrored < instances/10 || mirrored > special*2/3 {
		t.Errorf("of %d instances %d are special, of these %d mirrored", instances, special, mirrored)
	}
	denseScene := 0
	for i := range 200 {
		for j := range instances {
			dx, dy := at[i].Rows[3]-at[j].Rows[3], at[i].Rows[7]-at[j].Rows[7]
			if edge := math.Cbrt(125 * objects); i != j && math.Abs(dx) < edge && math.Abs(dy) < edge {
				denseScene++
			}
		}
	}
	if denseScene < 200 || denseScene > 200*10 {
		t.Errorf("200 instances have %d neighbours within a building's edge: too few or too many", denseScene)
	}
}

// Few instances and few objects are valid, and the same seed gives the same.
func TestInstancesSame(t *testing.T) {
	for _, n := range [][2]int{{0, 10}, {1, 0}, {7, 1}, {300, 20}} {
		parts, at := scene.Instances(n[0], n[1], 3)
		again, there := scene.Instances(n[0], n[1], 3)
		if len(at) != n[0] || digest(t, flatten(at)) != digest(t, flatten(there)) {
			t.Errorf("%v: different instances", n)
		}
		for k := range parts {
			if digest(t, records(parts[k])) != digest(t, records(again[k])) {
				t.Errorf("%v: part %d is another", n, k)
			}
			if b := scene.Bounds(parts[k]); len(parts[k]) > 0 && (b == soa.Empty() || b.Check() != nil) {
				t.Errorf("%v: part %d has the bounds %v", n, k, b)
			}
		}
	}
	parts, at := scene.Instances(40, 30, 1)
	const want = "7e928fabc3e6ed88a715783421ee019c"
	if got := digest(t, flatten(at)) + digest(t, records(parts[7])); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func flatten(at []scene.Instance) (all []float64) {
	for i := range at {
		all = append(append(all, float64(at[i].Part)), at[i].Rows[:]...)
	}
	return all
}
