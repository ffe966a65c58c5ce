package nevala

// use records that a node is in use. If it was expiring, its next lifespan is longer.
func (n *node) use() {
	if n.life >= 0 {
		n.life = -1
		n.span = min(2*n.span, spanMax)
	}
}

// fade starts the lifespan of a node if it has become an empty leaf. The root is kept.
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

// age advances all empty leaves by a frame.
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
			t.fade(n.parent) // its lifespan starts with this frame
		}
	}
	kept = append(kept, t.dying[old:]...)
	clear(t.dying[len(kept):])
	t.dying = kept
}
