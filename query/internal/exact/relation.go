package exact

// Relation is the position of a box relative to a volume.
type Relation uint8

// The relations. Those of a box other than Partly hold for every box in it.
const (
	Outside Relation = iota // no point of the box is in the volume
	Partly                  // neither is certain
	Inside                  // every point of the box is in the volume
)
