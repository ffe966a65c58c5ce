package nevala

// use notes that a node is in use: if it was dying, it lives longer the next
// time.
func (n *node) use() {
	if n.life >= 0 {
		n.life = -1
		n.span = min(2*n.span, spanMax)
	}
}

// fade starts the end of a node if it has become an empty leaf. The root stays.
func (t *Tree) fade(n *node) {
	if n.active != 0 || len(n.objects) != 0 || n.parent == nil {
		return
	}
	n.life = n.span
	if !n.listed {
		n.listed = true
		t.dying = append(t.dying, n)
	}
}

// age lets a frame pass for all empty leaves.
func (t *Tree) age() {
	kept := t.dying[:0]
	old := len(t.dying)
	for i := 0; i < old; i++ {
		n := t.dying[i]
		switch {
		case n.life < 0:
			n.listed = false
		case n.life > 1:
			n.life--
			kept = append(kept, n)
		default:
			n.parent.child[n.lane] = nil
			n.parent.active &^= 1 << n.lane
			t.fade(n.parent) // its time begins with this frame
		}
	}
	kept = append(kept, t.dying[old:]...)
	clear(t.dying[len(kept):])
	t.dying = kept
}
