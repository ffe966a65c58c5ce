package depth_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

var _ = [1]struct{}{}[unsafe.Sizeof(depth.TilePiece{})-64]

// tileNumber is the number of a depth.
func tileNumber(z float32) int32 {
	b := int32(math.Float32bits(z))
	if b < 0 {
		b ^= math.MaxInt32
	}
	return b
}

// randomPiece returns a piece of any kind: with and without a plane, of edges that cross the tile, or are beside it,
// or wrap around 2^32 in columns outside it.
func randomPiece(rng *rand.Rand) (p depth.TilePiece) {
	for i := range 3 {
		bits := rng.IntN(29)
		p.Right[i], p.Down[i] = int32(rng.IntN(2<<bits)-1<<bits), int32(rng.IntN(2<<bits)-1<<bits)
		p.At[i] = -p.Right[i]*int32(rng.IntN(9)) - p.Down[i]*int32(rng.IntN(9)) + int32(rng.IntN(3)-1)
		if rng.IntN(3) == 0 {
			p.At[i], p.Right[i], p.Down[i] = 0, 0, 0
		}
		if rng.IntN(20) == 0 {
			p.At[i] = int32(rng.Uint32())
		}
	}
	p.X0, p.Y0 = uint8(rng.IntN(8)), uint8(rng.IntN(8))
	p.X1, p.Y1 = p.X0+uint8(rng.IntN(8-int(p.X0))), p.Y0+uint8(rng.IntN(8-int(p.Y0)))
	depth := func() float32 {
		return []float32{0, float32(math.Copysign(0, -1)), rng.Float32(), -rng.Float32(), 1e30, -1e30, 1e-40}[rng.IntN(7)]
	}
	p.Z, p.P0 = tileNumber(depth()), float32(math.Inf(-1))
	if rng.IntN(2) == 0 {
		p.PX, p.PY, p.P0 = depth(), depth(), depth()
		p.X, p.Y = float32(rng.IntN(1<<20)), float32(rng.IntN(1<<20)-1<<19)
	}
	return p
}

// drawPiece draws pixel by pixel, as the comment of TilePiece documents.
func drawPiece(far *depth.Tile, p *depth.TilePiece) {
	for y := int32(p.Y0); y <= int32(p.Y1); y++ {
		for x := int32(p.X0); x <= int32(p.X1); x++ {
			in := true
			for i := range 3 {
				in = in && p.At[i]+p.Right[i]*x+p.Down[i]*(y-int32(p.Y0)) >= 0
			}
			if !in {
				continue
			}
			q := float32(p.PY*(p.Y+float32(y-int32(p.Y0)))) + p.P0
			z := max(tileNumber(float32(p.PX*(p.X+float32(x)))+q), p.Z)
			far[y*depth.TileSize+x] = min(far[y*depth.TileSize+x], z)
		}
	}
}

// Each tier draws and raises as defined, in memory that ends as early as it may, with any number of pieces; there are
// no pieces before and after them.
func TestTiles(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{0, 1, 2, 7, 8, 9, 511, 512, 513, 1025}, func(t *testing.T, at kernel.Place, n int) {
			for range testkit.Budget(t, 3, 300) {
				pieces := kernel.Room[depth.TilePiece](t, at, n)
				far, best := &kernel.Room[depth.Tile](t, at, 1)[0], &kernel.Room[depth.Tile](t, at, 1)[0]
				for i := range far {
					far[i] = depth.NoDepth
					best[i] = []int32{depth.Border, depth.NoDepth, tileNumber(rng.Float32()), tileNumber(-rng.Float32())}[rng.IntN(4)]
				}
				want, wantBest := *far, *best
				for i := range pieces {
					pieces[i] = randomPiece(rng)
					drawPiece(&want, &pieces[i])
				}
				depth.DrawTile(far, pieces)
				if *far != want {
					t.Fatalf("%d pieces, the last %+v:\n%v, want\n%v", n, pieces[max(n-1, 0):], *far, want)
				}
				for i := range far {
					if rng.IntN(9) == 0 {
						far[i], want[i] = depth.Border, depth.Border
					}
				}
				least := int32(depth.NoDepth)
				for i, z := range want {
					if z != depth.NoDepth {
						wantBest[i] = max(wantBest[i], z)
					}
					least = min(least, wantBest[i])
					want[i] = depth.NoDepth
				}
				if got := depth.RaiseTile(best, far); got != least || *best != wantBest || *far != want {
					t.Fatalf("least %d, want %d;\n%v, want\n%v", got, least, *best, wantBest)
				}
			}
		})
	})
}

func BenchmarkTile(b *testing.B) {
	rng := testkit.Rand(1)
	pieces := make([]depth.TilePiece, 32)
	for _, plane := range []bool{false, true} {
		for i := range pieces {
			for {
				pieces[i] = randomPiece(rng)
				if p := &pieces[i]; math.IsInf(float64(p.P0), -1) != plane && (p.X1-p.X0+1)*(p.Y1-p.Y0+1) > 8 {
					break
				}
			}
		}
		var far, best depth.Tile
		for _, tier := range cpu.Available() {
			b.Run("plane="+map[bool]string{false: "none", true: "one"}[plane]+"/impl="+tier.String(), func(b *testing.B) {
				former, err := cpu.Force(tier)
				if err != nil {
					b.Fatal(err)
				}
				defer cpu.Force(former)
				for b.Loop() {
					depth.DrawTile(&far, pieces)
					depth.RaiseTile(&best, &far)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pieces)), "ns/piece")
			})
		}
	}
}
