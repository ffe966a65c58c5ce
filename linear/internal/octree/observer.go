package octree

// Observer is notified of the changes of a tree, for the scenes that hold it.
type Observer interface {
	Changed() // views of the tree become invalid
	Ticked()  // a frame of the tree ends
}

// BeginChange invalidates all views, and notifies the observer.
func (t *Tree) BeginChange() {
	t.Store.Version++
	if t.Observer != nil {
		t.Observer.Changed()
	}
}

// InvalidateViews invalidates all views although the objects are unchanged, because the columns are replaced.
func (t *Tree) InvalidateViews() {
	calm := t.Ticked == t.Store.Version
	t.BeginChange()
	if calm {
		t.Ticked = t.Store.Version
	}
}
