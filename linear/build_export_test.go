package linear

// SetSqueeze makes builds squeeze keys that share so many of the bits that items
// hold, and returns the number from which on they did.
func SetSqueeze(shared int) (was int) {
	was, squeezeMin = squeezeMin, shared
	return was
}

// Squeeze squeezes keys in place. key stretches one, face the face of a cell.
func Squeeze(keys []uint64) (vary uint64, key, face func(uint64) uint64) {
	vary = differing(keys, keys[0])
	q := squeezing(keys[0], vary)
	q.squeeze(keys)
	return vary, q.key, q.face
}

// SetParts sets the least numbers of objects and of slots that are worth another
// worker and returns what they were.
func SetParts(objects, slots int) (oldObjects, oldSlots int) {
	oldObjects, oldSlots = encodeMin, fillMin
	encodeMin, fillMin = objects, slots
	return oldObjects, oldSlots
}
