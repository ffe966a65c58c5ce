package occlude_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// The depth buffer and the results are the same on every machine: these are their digests.
func TestDigests(t *testing.T) {
	tree := plant(t, append(spheres(3), partition), linear.Config{})
	house, err := occlude.NewPrism([][2]float32{{-3, -4}, {3, -4}, {5, 4}, {-3, 4}}, 0, 9)
	testkit.Must(t, err)
	transform, err := linear.Similarity([3]float64{-13, 20, 3}, [4]float64{1, 2, 3, 4}, 1.5)
	testkit.Must(t, err)
	for name, c := range map[string]struct {
		look func(e *occlude.Culler) error
		want uint64
	}{
		"camera": {func(e *occlude.Culler) error { return e.SetCamera(audience) }, 0x673d4cfcfbe40728},
		"parallel": {func(e *occlude.Culler) error {
			return e.SetViewProjectionRowMajor([16]float32{1. / 30, 0.01, 0, 0, 0, 0.004, 1. / 20, 0, -0.001, 1. / 90, 0, 0.3, 0, 0, 0, 1}, query.ClipZeroToOne)
		}, 0xf0ee7391bb1a8393},
	} {
		culler := newCuller(t, occlude.Config{Width: 200, Height: 113, OccluderMask: wallBit | 1, MinPixels: 4})
		h := fnv.New64a()
		for range 2 {
			testkit.Must(t, c.look(culler))
			culler.DrawHulls([]occlude.Hull{house}, []linear.Transform{transform})
			ids := culler.Append(nil, tree.View(), query.Filter{})
			if len(ids) < 100 || len(ids) > 1300 {
				t.Errorf("%s: %d objects are visible", name, len(ids))
			}
			for _, id := range ids {
				h.Write([]byte{byte(id), byte(id >> 8)})
			}
			pix, _, _, _ := culler.DepthBuffer()
			for _, v := range pix {
				h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s: digest %#x, want %#x", name, got, c.want)
		}
	}
}
