package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The cost of making a transform of each family, and of the image of a box under it.
func BenchmarkTransform(b *testing.B) {
	box := soa.AABB{Min: [3]float32{-1, -2, -3}, Max: [3]float32{3, 2, 1}}
	for _, family := range poseFamilies {
		rng := testkit.Rand(1)
		var rows [][12]float64
		var transforms []linear.Transform
		for len(transforms) < 64 {
			r := poseRows(rng, family)
			if p, err := linear.NewTransform(r); err == nil {
				rows, transforms = append(rows, r), append(transforms, p)
			}
		}
		ran, kept := false, 0
		b.Run("new/"+family, func(b *testing.B) {
			ran = true
			for i := 0; b.Loop(); i++ {
				if p, err := linear.NewTransform(rows[i&63]); err == nil && p.Kind() != linear.TransformIdentity {
					kept++
				}
			}
		})
		b.Run("box/"+family, func(b *testing.B) {
			ran = true
			for i := 0; b.Loop(); i++ {
				if image := transforms[i&63].Box(box); image.Min[0] <= image.Max[0] {
					kept++
				}
			}
		})
		if ran && kept == 0 {
			b.Error("no pose was made")
		}
	}
}
