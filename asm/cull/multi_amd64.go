//go:build amd64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func multiNodes(w *FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter, budget int) {
	switch _ = nodes[0]; {
	case cpu.Active == cpu.AVX512 && w.Planes[0].Two:
		multiNodesFarAVX512(w, &nodes[0], filter, budget)
	case cpu.Active == cpu.AVX512:
		multiNodesAVX512(w, &nodes[0], filter, budget)
	case cpu.Active == cpu.AVX2 && w.Planes[0].Two:
		multiNodesFarAVX2(w, &nodes[0], filter, budget)
	case cpu.Active == cpu.AVX2:
		multiNodesAVX2(w, &nodes[0], filter, budget)
	default:
		multiNodesGo(w, nodes, filter, budget)
	}
}

//go:noinline
func multiPackets(e *seeing) {
	switch {
	case cpu.Active == cpu.AVX512 && e.planes.Two:
		multiPacketsFarAVX512(e)
	case cpu.Active == cpu.AVX512:
		multiPacketsAVX512(e)
	case cpu.Active == cpu.AVX2 && e.planes.Two:
		multiPacketsFarAVX2(e)
	case cpu.Active == cpu.AVX2:
		multiPacketsAVX2(e)
	default:
		multiPacketsGo(e)
	}
}

// pairTable[m] is the permutation of eight words that moves the pairs of the 4-bit mask m to the
// front.
//
//lint:ignore U1000 assembly reads it
var pairTable = func() (t [16][8]uint32) {
	for m := range t {
		k := 0
		for pair := range uint32(4) {
			if m>>pair&1 != 0 {
				t[m][k], t[m][k+1] = 2*pair, 2*pair+1
				k += 2
			}
		}
	}
	return t
}()

// Kernels step over rows by 32 bytes.
var _ [0]struct{} = [unsafe.Sizeof(pairTable) - 16*32]struct{}{}

//go:noescape
func multiNodesAVX512(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiNodesAVX2(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiPacketsAVX512(e *seeing)

//go:noescape
func multiPacketsAVX2(e *seeing)

//go:noescape
func multiNodesFarAVX512(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiNodesFarAVX2(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiPacketsFarAVX512(e *seeing)

//go:noescape
func multiPacketsFarAVX2(e *seeing)
