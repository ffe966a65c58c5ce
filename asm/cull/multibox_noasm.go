//go:build (!amd64 && !arm64) || purego

package cull

import "github.com/zoctree/zoctree/soa"

func multiBoxNodes(w *BoxesWalk, nodes []soa.Node, most int) { multiBoxNodesGo(w, nodes, most) }

func multiBoxPackets(e *seeking) { multiBoxPacketsGo(e) }
