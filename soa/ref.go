package soa

// A Ref is a reference to a child of a node, a node or a packet, with flags for the objects below
// it.
//
//	31 packet | 30 moving below | 29 static below | 28..0 node or slot
type Ref uint32

// The fields of a reference.
const (
	RefPacket Ref = 1 << 31 // the child is a packet and the index its slot; else a node
	RefMoving Ref = 1 << 30 // an object below is moving
	RefStatic Ref = 1 << 29 // an object below is static
	RefFlags      = RefMoving | RefStatic
	RefIndex      = RefStatic - 1 // mask of the index
)

// PacketRef returns a reference to the packet in a slot, without flags.
func PacketRef(slot uint32) Ref { return RefPacket | Ref(slot) }

// IsPacket reports whether the child is a packet.
func (r Ref) IsPacket() bool { return r&RefPacket != 0 }

// Index returns the slot of a packet or the index of a node.
func (r Ref) Index() uint32 { return uint32(r & RefIndex) }

// Flags returns the flags of the objects below: RefMoving, RefStatic, or both.
func (r Ref) Flags() Ref { return r & RefFlags }

// A Location is the position of an object in memory: the slot of its packet and its lane.
//
//	31..4 slot | 3..0 lane
type Location uint32

// NoLocation is the location of no object.
const NoLocation = Location(None)

// MakeLocation returns the location of a lane of a packet.
func MakeLocation(slot uint32, lane int) Location { return Location(slot*Lanes + uint32(lane)) }

// Slot returns the slot of the packet.
func (p Location) Slot() uint32 { return uint32(p / Lanes) }

// Lane returns the lane in the packet.
func (p Location) Lane() int { return int(p % Lanes) }

// An Up is a parent link: the node and the lane that refer to a node or a packet.
//
//	31..4 node | 3..0 lane
type Up uint32

// NoParent is the parent link of the root, and of a slot that no node refers to.
const NoParent = Up(None)

// MakeUp returns the parent link to a lane of a node.
func MakeUp(node uint32, lane int) Up { return Up(node*Fan + uint32(lane)) }

// Node returns the parent node.
func (u Up) Node() uint32 { return uint32(u / Fan) }

// Lane returns the lane of the parent.
func (u Up) Lane() int { return int(u % Fan) }
