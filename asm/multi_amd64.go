//go:build amd64 && !purego

package asm

import "github.com/zoctree/zoctree/internal/cpu"

func multiNodes(w *Multi, nodes []Node, sift *Sift, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		multiNodesAVX512(w, &nodes[0], sift, budget)
	case cpu.AVX2:
		multiNodesAVX2(w, &nodes[0], sift, budget)
	default:
		multiNodesGo(w, nodes, sift, budget)
	}
}

//go:noinline
func multiPackets(e *seeing) {
	switch cpu.Active {
	case cpu.AVX512:
		multiPacketsAVX512(e)
	case cpu.AVX2:
		multiPacketsAVX2(e)
	default:
		multiPacketsGo(e)
	}
}

// pairTable[m] is the permutation of eight words that moves the pairs of the
// 4-bit mask m to the front.
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

//go:noescape
func multiNodesAVX512(w *Multi, nodes *Node, sift *Sift, budget int)

//go:noescape
func multiNodesAVX2(w *Multi, nodes *Node, sift *Sift, budget int)

//go:noescape
func multiPacketsAVX512(e *seeing)

//go:noescape
func multiPacketsAVX2(e *seeing)
