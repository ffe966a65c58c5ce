package morton

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
)

// sink keeps results alive.
var sink Key

// benchInput is the input of operations that work on one key at a time: so many
// that no branch predictor learns them, and all in the L1 cache.
type benchInput struct {
	world  World
	points [512][3]float32
	grid   [512][3]uint32
	keys   [512]Key
	cells  [512]Cell
}

func newBenchInput(b *testing.B) *benchInput {
	in := new(benchInput)
	var err error
	if in.world, err = Fit([3]float32{-1, -1, -1}, [3]float32{1, 1, 1}); err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range in.keys {
		for a := range 3 {
			in.points[i][a] = 2*rng.Float32() - 1
			in.grid[i][a] = rng.Uint32N(1 << Levels)
		}
		in.keys[i] = Key(rng.Uint64()) & MaxKey
		in.cells[i] = in.keys[i].At(1 + rng.IntN(Levels))
	}
	return in
}

// Everything that takes a key, a point or a cell and returns one.
func BenchmarkOp(b *testing.B) {
	in := newBenchInput(b)
	const n = len(in.keys)
	for _, x := range []struct {
		op  string
		run func()
	}{
		{"Encode", func() {
			for i := range n {
				g := &in.grid[i]
				sink += Encode(g[0], g[1], g[2])
			}
		}},
		{"Decode", func() {
			for i := range n {
				x, y, z := in.keys[i].Decode()
				sink += Key(x + y + z)
			}
		}},
		{"Encode30", func() {
			for i := range n {
				g := &in.grid[i]
				sink += Key(Encode30(g[0], g[1], g[2]))
			}
		}},
		{"Decode30", func() {
			for i := range n {
				x, y, z := in.keys[i].Key30().Decode()
				sink += Key(x + y + z)
			}
		}},
		{"WorldKey", func() {
			for i := range n {
				sink += in.world.Key(in.points[i])
			}
		}},
		{"KeyOfBox", func() {
			for i := range n {
				sink += in.world.KeyOfBox(in.points[i], in.points[i])
			}
		}},
		{"BoxOf", func() {
			for i := range n {
				box, _ := in.world.BoxOf(in.points[i], in.points[i])
				sink += box.Lo
			}
		}},
		{"Inside", func() {
			for i := range n {
				if in.world.Inside(in.points[i]) {
					sink++
				}
			}
		}},
		{"Common", func() {
			for i := range n {
				sink += Common(in.keys[i], in.keys[(i+1)%n]).First()
			}
		}},
		{"Parent", func() {
			for i := range n {
				p, _ := in.cells[i].Parent()
				sink += p.First()
			}
		}},
		{"Child", func() {
			for i := range n {
				sink += in.keys[i].At(3).Child(i & 7).First()
			}
		}},
		{"Holds", func() {
			for i := range n {
				if in.cells[i].Holds(in.cells[(i+1)%n]) {
					sink++
				}
			}
		}},
		{"CellBox", func() {
			for i := range n {
				lo, _ := in.world.CellBox(in.cells[i])
				if lo[0] < 0 {
					sink++
				}
			}
		}},
		{"Neighbor", func() {
			for i := range n {
				c, _ := in.cells[i].Neighbor(Face(i % Faces))
				sink += c.First()
			}
		}},
		{"KeyGrow", func() {
			for i := range n {
				sink += in.keys[i].Grow(i & 7)
			}
		}},
		{"CellGrow", func() {
			for i := range n {
				sink += in.keys[i].At(5).Grow(i & 7).First()
			}
		}},
	} {
		b.Run("op="+x.op, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: n, Item: "key", Run: x.run})
		})
	}
}

// The keys of boxes, which package asm/build computes on every tier.
func BenchmarkEncodeBoxes(b *testing.B) {
	in := newBenchInput(b)
	micro.Each(b, 24+8, func(_ *testing.B, n int) micro.Kernel {
		boxes, keys := make([]float32, 6*n), make([]Key, n)
		for i := range n {
			p := &in.points[i%len(in.points)]
			copy(boxes[6*i:], p[:])
			copy(boxes[6*i+3:], p[:])
		}
		return micro.Kernel{Items: n, Item: "box", Bytes: (24 + 8) * n, Run: func() { in.world.EncodeBoxes(keys, boxes, 6) }}
	})
}
