package soa

import "unsafe"

// Lanes is the number of objects of a packet, Fan the number of children of a node. They are equal,
// so that the same kernels test the bounds of nodes and packets.
const (
	Lanes = 16
	Fan   = 16
)

// Indexes of the columns of bounds in a node and in a packet. Flipping the lowest bit turns a
// minimum into the maximum of the same axis; in bytes this is offset ^ 64.
const (
	MinX = iota
	MaxX
	MinY
	MaxY
	MinZ
	MaxZ
)

// Packet is the bounds of up to 16 objects. Lanes are dense from 0. The other lanes hold the empty
// box (minima +Inf, maxima -Inf), which plane, box and distance tests reject without a special
// case.
//
//	byte    0       64      128     192     256     320     384
//	        | minx  | maxx  | miny  | maxy  | minz  | maxz  |
type Packet [6][Lanes]float32

// Node is up to 16 children: their tight boxes, references and type masks. Unused lanes are last
// and hold the empty box, reference 0 and mask 0.
//
//	byte    0       64      128     192     256     320     384     448     512
//	        | minx  | maxx  | miny  | maxy  | minz  | maxz  | child | mask  |
//	        |             bounds, as in a packet            |
//
// The mask is the OR of the type masks of all objects below the child.
//
// A zero bound is +0, regardless of the signs of the zeros below. Which of two zeros is smaller
// depends on the order of comparisons, so every union finally adds 0, which changes no other value.
// A packet holds the boxes as they were given.
type Node struct {
	Bounds Packet
	Child  [Fan]Ref
	Mask   [Fan]uint32
}

var (
	_ [0]struct{} = [unsafe.Sizeof(Packet{}) - 384]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Node{}) - 512]struct{}{}
)
