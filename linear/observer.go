package linear

// observer is notified of the changes of a tree, for the scenes that hold it.
type observer interface {
	Changed() // views of the tree become invalid
	Ticked()  // a frame of the tree ends
}

// beginChange invalidates all views, and notifies the observer.
func (t *Tree) beginChange() {
	t.store.Version++
	if t.observer != nil {
		t.observer.Changed()
	}
}

// invalidateViews invalidates all views although the objects are unchanged, because the columns are replaced.
func (t *Tree) invalidateViews() {
	calm := t.ticked == t.store.Version
	t.beginChange()
	if calm {
		t.ticked = t.store.Version
	}
}
