//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "box_amd64.h"

// The box kernels.

// func volumeNodesBoxAVX512(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·volumeNodesBoxAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsBoxAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·volumePacketsBoxAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512, LANES512)

// func volumeWholeBoxAVX512(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeBoxAVX512(SB), NOSPLIT, $8-96
	WHOLE512(LOAD512, NODE512, PACKET512)

// func volumeIDsBoxAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Box) (done, wrote int)
TEXT ·volumeIDsBoxAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKET512, PUT512)

// func volumeScanBoxAVX512(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·volumeScanBoxAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512, LANES512)

// func volumeNodesBoxAVX2(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·volumeNodesBoxAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsBoxAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·volumePacketsBoxAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256, LANES256)

// func volumeWholeBoxAVX2(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeBoxAVX2(SB), NOSPLIT, $8-96
	WHOLE256(LOAD256, NODE256, PACKET256)

// func volumeIDsBoxAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Box) (done, wrote int)
TEXT ·volumeIDsBoxAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKET256, PUT256)

// func volumeScanBoxAVX2(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·volumeScanBoxAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256, LANES256)
