package build

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

var inf = float32(math.Inf(1))

// emptyPacket has the empty box in every lane, as free lanes do.
var emptyPacket = func() (p soa.Packet) {
	for c := range p {
		for l := range p[c] {
			p[c][l] = inf
			if c&1 != 0 {
				p[c][l] = -inf
			}
		}
	}
	return p
}()

func (f *fillArgs) runGo(kind fillKind) {
	for i := range f.n {
		lo, hi := int(*lane.At(f.starts, i)), int(*lane.At(f.starts, i+1))
		slot := f.first + i
		n := hi - lo
		p, ids, masks := &f.out.Bounds[slot], &f.out.IDs[slot], &f.out.Masks[slot&f.maskRows]
		if n < soa.Lanes {
			*p, *ids, *masks = emptyPacket, [soa.Lanes]uint32{}, [soa.Lanes]uint32{}
		}
		var moving uint16
		if kind == fillRecords {
			for l := range n {
				index := uint32(*lane.At(f.items, lo+l) & itemIndex)
				r := lane.At(f.records, int(index))
				p[soa.MinX][l], p[soa.MinY][l], p[soa.MinZ][l] = r[0], r[1], r[2]
				p[soa.MaxX][l], p[soa.MaxY][l], p[soa.MaxZ][l] = r[3], r[4], r[5]
				ids[l] = index
				masks[l] = math.Float32bits(r[6])
				static := *(*uint8)(unsafe.Pointer(&r[7])) != 0
				moving |= uint16(lane.Bit(!static)) << l
			}
		} else {
			for l := range n {
				src := *lane.At(f.locations, int(*lane.At(f.items, lo+l)&itemIndex))
				from, k := src.Slot(), src.Lane()
				q := &f.from.Bounds[from]
				for c := range p {
					p[c][l] = q[c][k]
				}
				ids[l] = f.from.IDs[from][k]
				masks[l] = f.from.Masks[from][k]
				moving |= f.from.Moving[from] >> k & 1 << l
			}
		}
		f.out.Moving[slot] = moving
		f.out.Counts[slot] = uint8(n)
		if o := f.out.Parents[slot]; o != soa.NoParent {
			setLane(&f.nodes[o.Node()], o.Lane(), p, masks, moving, n, uint32(slot))
		}
	}
}

// setLane makes lane l of a node describe a packet.
func setLane(node *soa.Node, l int, p *soa.Packet, masks *[soa.Lanes]uint32, moving uint16, n int, slot uint32) {
	setBounds(node, l, p, n)
	var mask uint32
	for _, m := range masks[:n] {
		mask |= m
	}
	node.Mask[l] = mask
	node.Child[l] = soa.PacketRef(slot) | RefFlags(moving, n)
}

// RefFlags returns the moving and static flags of n live lanes.
func RefFlags(moving uint16, n int) soa.Ref {
	live := uint16(1<<n - 1)
	return soa.Ref(lane.Bit(moving&live != 0))*soa.RefMoving | soa.Ref(lane.Bit(^moving&live != 0))*soa.RefStatic
}

func reducePacketsGo(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	for _, slot := range slots {
		o := p.Parents[slot]
		setLane(&nodes[o.Node()], o.Lane(), &p.Bounds[slot], &p.Masks[slot], p.Moving[slot], int(p.Counts[slot]), slot)
	}
}

func reduceNodesGo(nodes []soa.Node, up []soa.Up, list []uint32) {
	for _, i := range list {
		n := &nodes[i]
		u := up[i]
		q, l := &nodes[u.Node()], u.Lane()
		for c := 0; c < 6; c += 2 {
			lo, hi := n.Bounds[c][0], n.Bounds[c+1][0]
			for k := 1; k < soa.Fan; k++ {
				lo, hi = lesser(lo, n.Bounds[c][k]), greater(hi, n.Bounds[c+1][k])
			}
			q.Bounds[c][l], q.Bounds[c+1][l] = lo+0, hi+0
		}
		var mask uint32
		var flags soa.Ref
		for k := range soa.Fan {
			mask |= n.Mask[k]
			flags |= n.Child[k]
		}
		q.Mask[l] = mask
		q.Child[l] = soa.Ref(i) | flags.Flags()
	}
}

// lesser and greater return a if a and b are equal.
func lesser(a, b float32) float32 {
	if b < a {
		return b
	}
	return a
}

func greater(a, b float32) float32 {
	if b > a {
		return b
	}
	return a
}
