package radix

// Fields of a key and of an item, as drawn in the package comment.
const (
	keyBits   = 63
	topBits   = 33
	lowBits   = keyBits - topBits
	indexBits = 64 - topBits

	keyMask   = 1<<keyBits - 1
	indexMask = 1<<indexBits - 1
	lowMask   = 1<<lowBits - 1

	// MaxLen is the largest number of keys that [Scratch.Order] accepts.
	MaxLen = 1<<indexBits - 1
)

// Index returns the position in keys of the item's key.
func Index(item uint64) uint32 { return uint32(item & indexMask) }

// Top returns bits 62 to 30 of the item's key.
func Top(item uint64) uint64 { return item >> indexBits }

// pack returns the item of keys[index]. The shifts drop bit 63 of the key.
func pack(key uint64, index int) uint64 {
	return key>>lowBits<<indexBits | uint64(index)
}

// packLow returns the item with which tie sorts keys[index]: the low key bits and the index.
func packLow(key, index uint64) uint64 {
	return key&lowMask<<indexBits | index
}

// packAll packs keys without reordering them.
func packAll(items, keys []uint64) {
	items = items[:len(keys)]
	for i, key := range keys {
		items[i] = pack(key, i)
	}
}
