package linear

// Changes returns the change log from change number since on, in the order of the changes, and the
// number of the next change, to be passed in the next call. If an object has changed several times,
// its last entry is its state; an entry records whether the object has an oriented box, which
// [View.Oriented] returns. ok is false if some of these changes are no longer in the log, or if the
// tree was made without [Config.Log]: then the caller must read the whole tree.
//
// The log holds the changes since the last [Tree.Tick] and those of the frame before it. It holds
// no changes of a frame that changed more than 1,024 objects and one in eight, and none after
// [Tree.Clear] or a batch into an empty tree. Internal work of the tree, such as a rebuild, is not
// logged.
//
// The slice belongs to the tree, is read-only, and is valid as long as the view. Changes takes
// constant time and allocates nothing.
func (v View) Changes(since uint64) (changes []Change, next uint64, ok bool) {
	l := v.Store().Log
	if l == nil {
		return nil, 0, false
	}
	changes, ok = l.Since(since)
	return changes, l.Next(), ok
}
