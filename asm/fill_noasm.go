//go:build (!amd64 && !arm64) || purego

package asm

func (f *fill) call(kind fillKind) { f.runGo(kind) }

func reduceNodes(nodes []Node, up []uint32, list []uint32) { reduceNodesGo(nodes, up, list) }

func reducePackets(c *Columns, slots []uint32) { reducePacketsGo(c, slots) }
