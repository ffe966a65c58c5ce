package scene

import "slices"

// link is a pair from the side of one of its objects.
type link struct{ from, to Object }

func compareLinks(a, b link) int {
	if c := a.from.Compare(b.from); c != 0 {
		return c
	}
	return a.to.Compare(b.to)
}

// linkSet is a set of pairs, each of which has a link from either object. The links ascend through blocks, so that
// the links of an object are adjacent, and so are those of all objects in an instance of the scene. A change of a
// pair moves the links of a few blocks only.
//
//	blocks   | /0 4 -> /1 2 | /0 4 -> /1 3 | … |   | /1 2 -> /0 4 | … |
type linkSet struct {
	blocks [][]link // none is empty
	free   [][]link // empty blocks
	n      int      // number of links
}

// blockLinks is the largest number of links of a block.
const blockLinks = 256

// seek returns the position of the first link that is not before l.
func (s *linkSet) seek(l *link) (block, i int) {
	block, _ = slices.BinarySearchFunc(s.blocks, *l, func(b []link, l link) int { return compareLinks(b[len(b)-1], l) })
	if block < len(s.blocks) {
		i, _ = slices.BinarySearchFunc(s.blocks[block], *l, compareLinks)
	}
	return block, i
}

// add adds a pair that is not in the set.
func (s *linkSet) add(p *Pair) {
	s.insert(&link{p.A, p.B})
	s.insert(&link{p.B, p.A})
}

// remove removes a pair that is in the set.
func (s *linkSet) remove(p *Pair) {
	s.delete(&link{p.A, p.B})
	s.delete(&link{p.B, p.A})
}

func (s *linkSet) insert(l *link) {
	at, i := s.seek(l)
	if s.n++; at == len(s.blocks) {
		if at == 0 || len(s.blocks[at-1]) == blockLinks {
			s.blocks = append(s.blocks, s.empty())
		} else {
			at--
			i = len(s.blocks[at])
		}
	} else if b := s.blocks[at]; len(b) == blockLinks {
		const half = blockLinks / 2
		s.blocks = slices.Insert(s.blocks, at+1, append(s.empty(), b[half:]...))
		s.blocks[at] = b[:half]
		if i > half {
			at, i = at+1, i-half
		}
	}
	s.blocks[at] = slices.Insert(s.blocks[at], i, *l)
}

func (s *linkSet) delete(l *link) {
	at, i := s.seek(l)
	s.n--
	b := slices.Delete(s.blocks[at], i, i+1)
	s.blocks[at] = b
	for _, first := range [2]int{at, at - 1} { // joins it with the next one, and with the former one
		if first < 0 || len(s.blocks[first]) > 0 && (first+1 >= len(s.blocks) || len(s.blocks[first])+len(s.blocks[first+1]) > blockLinks/2) {
			continue
		}
		next := first
		if len(s.blocks[first]) > 0 {
			next = first + 1
			s.blocks[first] = append(s.blocks[first], s.blocks[next]...)
		}
		s.free = append(s.free, s.blocks[next][:0])
		s.blocks = slices.Delete(s.blocks, next, next+1)
	}
}

// empty returns an empty block.
func (s *linkSet) empty() []link {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		return b
	}
	return make([]link, 0, blockLinks)
}

// walk calls yield with the links from the first one that is not before l, until yield returns false. After that the
// set may have changed.
func (s *linkSet) walk(l link, yield func(l *link) bool) {
	for at, i := s.seek(&l); at < len(s.blocks); at, i = at+1, 0 {
		for ; i < len(s.blocks[at]); i++ {
			if !yield(&s.blocks[at][i]) {
				return
			}
		}
	}
}

// pair returns the pair of a link, and whether it is the link from the first object.
func (l *link) pair() (p Pair, first bool) {
	if l.from.Compare(l.to) < 0 {
		return Pair{0, l.from, l.to}, true
	}
	return Pair{0, l.to, l.from}, false
}

// appendAll appends all pairs to dst, ascending.
func (s *linkSet) appendAll(dst []Pair) []Pair {
	s.walk(link{}, func(l *link) bool {
		if p, first := l.pair(); first {
			dst = append(dst, p)
		}
		return true
	})
	return dst
}

// appendChanged appends the pairs of changed objects to dst, each once.
func (s *linkSet) appendChanged(dst []Pair, c *sceneChanges) []Pair {
	from := func(o Object) {
		s.walk(link{from: o}, func(l *link) bool {
			if l.from.Path.n != o.Path.n && o.Path.n == 0 || l.from.Path.ids[0] != o.Path.ids[0] || o.Path.n == 0 && l.from.ID != o.ID {
				return false
			}
			if p, first := l.pair(); first || !c.has(&p.A) {
				dst = append(dst, p)
			}
			return true
		})
	}
	for _, id := range c.Own.List {
		from(Object{ID: id})
	}
	for _, id := range c.Instances.List {
		from(Object{Path: PathOf(id)})
	}
	return dst
}

// reset empties the set and keeps its memory.
func (s *linkSet) reset() {
	for _, b := range s.blocks {
		s.free = append(s.free, b[:0])
	}
	s.blocks, s.n = s.blocks[:0], 0
}

// trim frees memory.
func (s *linkSet) trim() {
	former := s.blocks
	*s = linkSet{n: s.n, blocks: make([][]link, 0, (s.n+blockLinks-1)/blockLinks)}
	for _, b := range former {
		for len(b) > 0 {
			at := len(s.blocks) - 1
			if at < 0 || len(s.blocks[at]) == blockLinks {
				s.blocks = append(s.blocks, s.empty())
				continue
			}
			k := min(len(b), blockLinks-len(s.blocks[at]))
			s.blocks[at], b = append(s.blocks[at], b[:k]...), b[k:]
		}
	}
}
