package cull_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// frustumSeed is an input with those planes and small boxes.
func frustumSeed(planes [6][4]float32, boxes int) (data []byte) {
	put := func(f float32) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f)) }
	for _, c := range planes {
		for _, x := range c {
			put(x)
		}
	}
	for i := range boxes {
		for c := range 6 {
			put(float32(i%5) - 2 + float32(c&1))
		}
	}
	return data
}

// FuzzFrustumPackets reads six planes, then boxes; any bits, NaN included.
func FuzzFrustumPackets(f *testing.F) {
	f.Add(frustumSeed([6][4]float32{{1, 0, 0, 0}, always, always, always, always, always}, 40), uint8(16))
	f.Add(frustumSeed([6][4]float32{{0.2, -0.1, 0, 0.1}, {-0.2, 0, 0.1, 0.1}, {3: -1}, always, {}, {}}, 33), uint8(5))
	f.Add([]byte("short"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, lanes uint8) {
		in := kernel.Reader(data)
		raw := readPlanes(&in)
		live := int(lanes)%soa.Lanes + 1
		packets := make([]soa.Packet, 1+min(len(in)/(24*live), 100))
		for i := range packets {
			for l := range soa.Lanes {
				c := kernel.EmptyBox
				if l < live {
					c = readBox(&in)
				}
				kernel.SetPacketBox(&packets[i], l, c)
			}
		}
		p := bare(raw)
		kernel.OnTiers(t, func() {
			frustumKernels(&p).check(t, kernel.Heap, packets, kernel.UpTo(len(packets)))
		})
	})
}

// FuzzFrustumNodes reads a filter, six planes, then children.
func FuzzFrustumNodes(f *testing.F) {
	planes := [6][4]float32{{1, 0, 0, 0}, always, always, always, always, always}
	f.Add(frustumSeed(planes, 70), uint32(0), uint32(soa.RefStatic|soa.RefMoving))
	f.Add(frustumSeed(planes, 9), uint32(3), uint32(soa.RefStatic))
	f.Add([]byte{}, uint32(1), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, mask, flags uint32) {
		in := kernel.Reader(data)
		p := bare(readPlanes(&in))
		nodes := make([]soa.Node, 1+min(len(in)/(32*soa.Fan), 100))
		for i := range nodes {
			for l := range soa.Fan {
				kernel.SetNodeBox(&nodes[i], l, readBox(&in))
				ref := soa.Ref(in.Uint32())
				// A child node follows its parent, so that the walk ends.
				if !ref.IsPacket() {
					ref &^= soa.RefIndex
					if child := soa.Fan*i + l + 1; child < len(nodes) {
						ref |= soa.Ref(child)
					} else {
						ref |= soa.RefPacket
					}
				}
				nodes[i].Child[l], nodes[i].Mask[l] = ref, in.Uint32()
			}
		}
		kernel.OnTiers(t, func() {
			frustumKernels(&p).checkWalk(t, kernel.Heap, nodes, kernel.UpTo(len(nodes)), &asm.NodeFilter{Mask: mask, Flags: soa.Ref(flags) & soa.RefFlags})
		})
	})
}

func readPlanes(in *kernel.Reader) (planes [6][4]float32) {
	for i := range planes {
		for k := range planes[i] {
			planes[i][k] = in.Float()
		}
	}
	return planes
}

func readBox(in *kernel.Reader) (c kernel.Columns) {
	for i := range c {
		c[i] = in.Float()
	}
	return c
}
