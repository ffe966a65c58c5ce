//go:build (!amd64 && !arm64) || purego

package build

import "github.com/zoctree/zoctree/soa"

func chooseSubtree(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	chooseSubtreeGo(refs, nodes, boxes)
}
