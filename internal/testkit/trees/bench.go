package trees

import (
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

const treeBytes = 34 // of a frozen tree, per box

// Measure measures a walk over frozen trees of the uniform scene.
func Measure(b *testing.B, prepare func(objects []soa.Object, s *soa.Store) micro.Kernel) {
	micro.Each(b, treeBytes, func(b *testing.B, boxes int) micro.Kernel {
		uniform := testkit.SceneByName(b, "uniform")
		objects := uniform.Make(boxes, 1)
		t, err := linear.New(linear.Config{Frozen: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := t.InsertBatch(nil, objects); err != nil {
			b.Fatal(err)
		}
		return prepare(objects, t.View().Store())
	})
}
