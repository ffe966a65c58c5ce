package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

func selectLanesGo(e *selectArgs) {
	ranges := unsafe.Slice(e.ranges, e.n)
	out := unsafe.Slice(e.out, e.budget)
	e.done, e.wrote = 0, 0
	for i := range ranges {
		r := &ranges[i]
		hit, slots := uint32(0xffff), r.N
		if r.N&asm.RangeHit != 0 {
			hit, slots = r.N&0xffff, 1
		}
		for ; slots != 0; slots-- {
			if e.budget == 0 {
				if r.N&asm.RangeHit == 0 {
					r.N = slots
				}
				return
			}
			e.budget--
			if m := e.lanes(r.First, hit); m != 0 {
				out[e.wrote] = asm.Range{First: r.First, N: asm.RangeHit | m}
				e.wrote++
			}
			r.First++
		}
		e.done++
	}
}

// lanes returns the lanes of hit in a slot that pass the filter.
func (e *selectArgs) lanes(slot, hit uint32) uint32 {
	i := uintptr(slot)
	count := *(*uint8)(unsafe.Add(unsafe.Pointer(e.counts), i))
	moving := *(*uint16)(unsafe.Add(unsafe.Pointer(e.moving), 2*i))
	hit &= (1<<count - 1) & (uint32(moving) ^ e.flip | e.every)
	if e.mask != 0 && hit != 0 {
		hit &= asm.MaskLanes((*[soa.Lanes]uint32)(unsafe.Add(unsafe.Pointer(e.masks), 4*soa.Lanes*i)), e.mask)
	}
	if e.alive != 0 && hit != 0 {
		ids := (*[soa.Lanes]uint32)(unsafe.Add(unsafe.Pointer(e.ids), 4*soa.Lanes*i))
		hit &= liveLanes(ids, unsafe.Slice(e.live, int(e.last>>6)+1))
	}
	return hit
}

// liveLanes returns the lanes whose ID is the index of a set bit in live.
func liveLanes(ids *[soa.Lanes]uint32, live []uint64) (m uint32) {
	for l := soa.Lanes - 1; l >= 0; l-- {
		m <<= 1
		if w := int(ids[l] >> 6); w < len(live) {
			m |= uint32(live[w]>>(ids[l]&63)) & 1
		}
	}
	return m
}
