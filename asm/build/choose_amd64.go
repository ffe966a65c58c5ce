//go:build amd64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func chooseSubtree(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	switch cpu.Active {
	case cpu.AVX512:
		chooseSubtreeAVX512(&refs[0], unsafe.SliceData(nodes), &boxes[0], len(refs))
	case cpu.AVX2:
		chooseSubtreeAVX2(&refs[0], unsafe.SliceData(nodes), &boxes[0], len(refs))
	default:
		chooseSubtreeGo(refs, nodes, boxes)
	}
}

//go:noescape
func chooseSubtreeAVX512(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)

//go:noescape
func chooseSubtreeAVX2(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)
