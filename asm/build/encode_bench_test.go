package build

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/soa"
)

// encodeBenchBoxes returns boxes of edge 2 in a cube of side 2 million.
func encodeBenchBoxes(n, stride int) []float32 {
	rng := rand.New(rand.NewPCG(8, 8))
	boxes := make([]float32, n*stride)
	for i := range n {
		for a := range 3 {
			c := rng.Float32()*2e6 - 1e6
			boxes[i*stride+a], boxes[i*stride+a+3] = c-1, c+1
		}
	}
	return boxes
}

func BenchmarkEncodeBoxes(b *testing.B) {
	for _, stride := range []int{6, 8} {
		b.Run(fmt.Sprintf("stride=%d", stride), func(b *testing.B) {
			micro.Each(b, 4*stride+8, func(_ *testing.B, n int) micro.Kernel {
				boxes, keys := encodeBenchBoxes(n, stride), make([]uint64, n)
				return micro.Kernel{Items: n, Item: "box", Bytes: n * (4*stride + 8), Run: func() {
					EncodeBoxes(keys, &encodeGrids[1], boxes, stride)
				}}
			})
		})
	}
}

func BenchmarkEncodePackets(b *testing.B) {
	const fill = 14
	micro.Each(b, 384/fill+12, func(_ *testing.B, n int) micro.Kernel {
		boxes := encodeBenchBoxes(n, 6)
		packets := make([]soa.Packet, (n+fill-1)/fill)
		counts := make([]uint8, len(packets))
		for i := range n {
			for a := range 3 {
				packets[i/fill][2*a][i%fill], packets[i/fill][2*a+1][i%fill] = boxes[6*i+a], boxes[6*i+a+3]
			}
			counts[i/fill]++
		}
		keys, src := make([]uint64, n), make([]soa.Location, n)
		return micro.Kernel{Items: n, Item: "box", Bytes: len(packets)*384 + n*12, Run: func() {
			EncodePackets(keys, src, &encodeGrids[1], packets, counts, 0)
		}}
	})
}

var surveySink [6]float32

func BenchmarkSurvey(b *testing.B) {
	micro.Each(b, 32, func(_ *testing.B, n int) micro.Kernel {
		boxes := encodeBenchBoxes(n, 8)
		return micro.Kernel{Items: n, Item: "box", Bytes: 32 * n, Run: func() { surveySink, _, _ = Survey(boxes, 8, n) }}
	})
}
