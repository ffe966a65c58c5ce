//go:build amd64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func homeStep(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	switch cpu.Active {
	case cpu.AVX512:
		homeStepAVX512(&refs[0], unsafe.SliceData(nodes), &boxes[0], len(refs))
	case cpu.AVX2:
		homeStepAVX2(&refs[0], unsafe.SliceData(nodes), &boxes[0], len(refs))
	default:
		homeStepGo(refs, nodes, boxes)
	}
}

//go:noescape
func homeStepAVX512(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)

//go:noescape
func homeStepAVX2(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)
