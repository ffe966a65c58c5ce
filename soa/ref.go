package soa

// A Ref names a child of a node: a node or a packet, and what kinds of objects are
// below it.
//
//	31 packet | 30 moving below | 29 static below | 28..0 node or slot
type Ref uint32

// The parts of a reference.
const (
	RefPacket Ref = 1 << 31 // the child is a packet (index: its slot), else a node
	RefMoving Ref = 1 << 30 // something below is moving
	RefStatic Ref = 1 << 29 // something below is static
	RefFlags      = RefMoving | RefStatic
	RefIndex      = RefStatic - 1 // the mask of the index
)

// PacketRef refers to the packet in a slot, without flags.
func PacketRef(slot uint32) Ref { return RefPacket | Ref(slot) }

// IsPacket reports whether the child is a packet.
func (r Ref) IsPacket() bool { return r&RefPacket != 0 }

// Index returns the slot of a packet, the index of a node.
func (r Ref) Index() uint32 { return uint32(r & RefIndex) }

// Flags returns what kinds of objects are below: RefMoving, RefStatic, both.
func (r Ref) Flags() Ref { return r & RefFlags }

// A Place is where an object lives.
//
//	31..4 slot | 3..0 lane
type Place uint32

// NoPlace is the place of no object.
const NoPlace = Place(None)

// MakePlace returns the place of a lane of a packet.
func MakePlace(slot uint32, lane int) Place { return Place(slot*Lanes + uint32(lane)) }

// Slot returns the packet.
func (p Place) Slot() uint32 { return uint32(p / Lanes) }

// Lane returns the lane of the packet.
func (p Place) Lane() int { return int(p % Lanes) }

// An Up is the lane that refers to a node or a packet: the way up the tree.
//
//	31..4 node | 3..0 lane
type Up uint32

// NoUp is the way up of the root, and of a slot that no node refers to.
const NoUp = Up(None)

// MakeUp returns the lane of a node as a way up.
func MakeUp(node uint32, lane int) Up { return Up(node*Fan + uint32(lane)) }

// Node returns the node that refers.
func (u Up) Node() uint32 { return uint32(u / Fan) }

// Lane returns its lane that refers.
func (u Up) Lane() int { return int(u % Fan) }
