//go:build arm64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func chooseSubtree(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	if cpu.Active == cpu.NEON {
		chooseSubtreeNEON(&refs[0], unsafe.SliceData(nodes), &boxes[0], len(refs))
		return
	}
	chooseSubtreeGo(refs, nodes, boxes)
}

//go:noescape
func chooseSubtreeNEON(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)
