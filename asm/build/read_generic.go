package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func (r *readArgs) toRecordsGo() {
	for i := range r.n {
		slot := *lane.At(r.slots, i)
		n := int(r.from.Counts[slot])
		p, moving, masks := &r.from.Bounds[slot], r.from.Moving[slot], &r.from.Masks[int(slot)&r.maskRows]
		copy(unsafe.Slice(r.ids, r.read+n)[r.read:], r.from.IDs[slot][:])
		for l := range n {
			to, l := lane.At(r.records, r.read+l), l&(soa.Lanes-1)
			to[0], to[1], to[2] = p[soa.MinX][l], p[soa.MinY][l], p[soa.MinZ][l]
			to[3], to[4], to[5] = p[soa.MaxX][l], p[soa.MaxY][l], p[soa.MaxZ][l]
			words := (*[8]uint32)(unsafe.Pointer(to))
			words[6] = masks[l]
			*(*[4]byte)(unsafe.Pointer(&words[7])) = [4]byte{byte(lane.Bit(moving>>l&1 == 0))} // in any byte order
		}
		r.read += n
	}
}
