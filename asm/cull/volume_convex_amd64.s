//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"
#include "convex_amd64.h"

#define LOOP(PLANE, LEFT, NAME) LOOPTO(PLANE, LEFT, NAME, miss)

#define FEWPLANES(PLANE) \
	FIRSTPLANE \
	FEWTO(PLANE, few, plane, tested)

#define MANYPLANES(PLANE, LEFT) MANYTO(PLANE, LEFT, plane, miss, tested)

#define PLANESFAR(FAR, PLANE, LEFT) \
	FIRSTPLANE \
	CLASS(LOOP(FAR, LEFT, far), LOOP(PLANE, LEFT, plane))

#define LOAD512 VPXORD Z7, Z7, Z7

#define NODE512 \
	KXNORW K0, K0, K1 \
	KXNORW K0, K0, K2 \
	FEWPLANES(NODEPLANE512)

#define NODEFAR512 \
	KXNORW K0, K0, K1    \
	KXNORW K0, K0, K2    \
	NEAR512(Convex_Near) \
	KORTESTW K3, K3      \
	PLANESFAR(NODEPLANEFAR512, NODEPLANE512, LEFT512)

#define PACKET512 \
	KXNORW K0, K0, K1 \
	FEWPLANES(PACKETPLANE512)

// Packets of a whole walk, with labels of their own.
#define IDPACKET512 \
	KXNORW K0, K0, K1 \
	FIRSTPLANE        \
	FEWTO(PACKETPLANE512, idfew, idplane, idtested)

#define COUNTPACKET512 \
	KXNORW K0, K0, K1 \
	FIRSTPLANE        \
	FEWTO(PACKETPLANE512, countfew, countplane, counted)

#define PACKETFAR512 \
	KXNORW K0, K0, K1    \
	NEAR512(Convex_Near) \
	KORTESTW K3, K3      \
	PLANESFAR(PACKETPLANEFAR512, PACKETPLANE512, LEFT512)

// func volumeNodesConvexAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)
	MANYPLANES(NODEPLANE512, LEFT512)

// func volumePacketsConvexAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512, LANES512)
	MANYPLANES(PACKETPLANE512, LEFT512)

// func volumeWholeConvexAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeConvexAVX512(SB), NOSPLIT, $8-96
	WHOLEBOTH512(LOAD512, NODE512, IDPACKET512, COUNTPACKET512)
	MANYPLANES(NODEPLANE512, LEFT512)
	MANYTO(PACKETPLANE512, LEFT512, idplane, idmiss, idtested)
	MANYTO(PACKETPLANE512, LEFT512, countplane, counted, counted)

// func volumeIDsConvexAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)
TEXT ·volumeIDsConvexAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKET512, PUT512)
	MANYPLANES(PACKETPLANE512, LEFT512)

// func volumeScanConvexAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512, LANES512)
	MANYPLANES(PACKETPLANE512, LEFT512)

// func volumeNodesConvexFarAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODEFAR512)

// func volumePacketsConvexFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKETFAR512, LANES512)

// func volumeIDsConvexFarAVX512(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)
TEXT ·volumeIDsConvexFarAVX512(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD512, PACKETFAR512, PUT512)

// func volumeScanConvexFarAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKETFAR512, LANES512)

// AVX2.

#define LOAD256 VPXOR Y12, Y12, Y12

#define BOTH256 SIGNS256(Y8, Y9)

#define NODELEFT256 VTESTPS Y8, Y8

#define PACKETLEFT256 \
	VORPS   Y8, Y9, Y0 \
	VTESTPS Y0, Y0

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FEWPLANES(NODEPLANE256)

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8      \
	VPCMPEQD Y9, Y9, Y9      \
	NODENEAR256(Convex_Near) \
	VTESTPS  Y8, Y7          \
	PLANESFAR(NODEPLANEFAR256, NODEPLANE256, NODELEFT256)

#define PACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FEWPLANES(PACKETPLANE256)

#define IDPACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE          \
	FEWTO(PACKETPLANE256, idfew, idplane, idtested)

#define COUNTPACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE          \
	FEWTO(PACKETPLANE256, countfew, countplane, counted)

#define PACKETFAR256 \
	VPCMPEQD Y8, Y8, Y8        \
	VPCMPEQD Y9, Y9, Y9        \
	PACKETNEAR256(Convex_Near) \
	VTESTPS  Y8, Y0            \
	PLANESFAR(PACKETPLANEFAR256, PACKETPLANE256, PACKETLEFT256)

// func volumeNodesConvexAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)
	MANYPLANES(NODEPLANE256, NODELEFT256)

// func volumePacketsConvexAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256, LANES256)
	MANYPLANES(PACKETPLANE256, PACKETLEFT256)

// func volumeWholeConvexAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)
TEXT ·volumeWholeConvexAVX2(SB), NOSPLIT, $8-96
	WHOLEBOTH256(LOAD256, NODE256, IDPACKET256, COUNTPACKET256)
	MANYPLANES(NODEPLANE256, NODELEFT256)
	MANYTO(PACKETPLANE256, PACKETLEFT256, idplane, idmiss, idtested)
	MANYTO(PACKETPLANE256, PACKETLEFT256, countplane, counted, counted)

// func volumeIDsConvexAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)
TEXT ·volumeIDsConvexAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKET256, PUT256)
	MANYPLANES(PACKETPLANE256, PACKETLEFT256)

// func volumeScanConvexAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256, LANES256)
	MANYPLANES(PACKETPLANE256, PACKETLEFT256)

// func volumeNodesConvexFarAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODEFAR256)

// func volumePacketsConvexFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKETFAR256, LANES256)

// func volumeIDsConvexFarAVX2(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)
TEXT ·volumeIDsConvexFarAVX2(SB), NOSPLIT, $8-72
	PACKETIDS(LOAD256, PACKETFAR256, PUT256)

// func volumeScanConvexFarAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKETFAR256, LANES256)
