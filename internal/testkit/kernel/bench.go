package kernel

import (
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The number of random boxes before they repeat: making more takes longer than measuring them.
const benchBoxes = 1 << 16

// FullPackets returns full packets of small boxes in a cube of side 104.
func FullPackets(boxes int) []soa.Packet {
	packets := make([]soa.Packet, max(boxes/soa.Lanes, 1))
	made := testkit.RandomBoxes(testkit.Rand(1), min(soa.Lanes*len(packets), benchBoxes), testkit.BoxesSmall)
	for i := range packets {
		if i >= benchBoxes/soa.Lanes {
			packets[i] = packets[i%(benchBoxes/soa.Lanes)]
			continue
		}
		for l := range soa.Lanes {
			SetPacketBox(&packets[i], l, ColumnsOf(made[soa.Lanes*i+l]))
		}
	}
	return packets
}

// FullNodes returns full nodes of such boxes, whose children are packets.
func FullNodes(boxes int) []soa.Node {
	nodes := make([]soa.Node, max(boxes/soa.Fan, 1))
	made := testkit.RandomBoxes(testkit.Rand(1), min(soa.Fan*len(nodes), benchBoxes), testkit.BoxesSmall)
	for i := range nodes {
		for l := range soa.Fan {
			at := soa.Fan*i + l
			SetNodeBox(&nodes[i], l, ColumnsOf(made[at%len(made)]))
			nodes[i].Child[l] = soa.RefPacket | soa.RefStatic | soa.Ref(at)
		}
	}
	return nodes
}

// Sink keeps results alive.
var Sink uint64
