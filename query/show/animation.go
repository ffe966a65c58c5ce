package show

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Animation is an animated SVG of successive states of a tree, without a script. It uses SMIL,
// which browsers also play in images. One goroutine at a time may use it. The zero Animation has
// no states, and needs a Width.
type Animation struct {
	Title, About string
	Width        int     // in pixels, MinWidth to MaxWidth
	Step         float64 // duration of a state in seconds; 0: 1

	states []state
}

// state holds the data of one state of a tree.
type state struct {
	caption         string
	objects         map[uint32]soa.AABB
	packets, cells  map[soa.AABB]int // number of packets or cells with that tight box, and the level of the cell
	world           soa.AABB
	nodes, ofPacket int
	work            linear.Work
}

// Add appends the state of a tree, with a caption for the change that led to it. It copies the
// data that it needs, in time and memory proportional to the number of objects. The tree must be
// ticked first: pending objects are not shown.
func (f *Animation) Add(t *linear.Tree, caption string) {
	st := t.Stats()
	s := state{
		caption: caption, objects: map[uint32]soa.AABB{}, packets: map[soa.AABB]int{}, cells: map[soa.AABB]int{},
		nodes: st.Nodes, ofPacket: st.Packets, work: t.Work(),
	}
	for _, o := range byID(t.View()) {
		s.objects[o.id] = o.box
	}
	for p := range t.Packets() {
		s.packets[p.Tight]++
	}
	for c := range t.Cells() {
		s.cells[c.Box] = c.Prefix.Level()
	}
	least, most := t.World().Bounds()
	for a := range 3 {
		s.world.Min[a], s.world.Max[a] = float32(least[a]), float32(most[a])
	}
	f.states = append(f.states, s)
}

// Len returns the number of states.
func (f *Animation) Len() int { return len(f.states) }

// The styles of an animation. New shapes of a state are heavier or have another colour in it.
var (
	worldStyle  = stroke(softColour, 1.2) + ` stroke-dasharray="6 4"`
	newPacket   = fill(candidateColour, 0.25) + fmt.Sprintf(` stroke="%s" stroke-width="2"`, wrongColour)
	oldPacket   = stroke(candidateColour, 1)
	stayStyle   = fill(hitColour, 1)
	arriveStyle = fill(wholeColour, 1)
	leaveStyle  = fill(culledColour, 1)
	minObject   = 2.5 // pixels
)

// shot is a shape of a state, and its layer.
type shot struct {
	layer       int
	style, path string
}

// scenes returns the shapes of each state.
func (f *Animation) scenes(p *sheet) (list [][]shot) {
	before := state{}
	for _, s := range f.states {
		var now []shot
		for b, level := range s.cells {
			now = append(now, shot{0, cellStyle(level), p.rect(b).path()})
		}
		now = append(now, shot{1, worldStyle, p.rect(s.world).path()})
		for b := range s.packets {
			style := oldPacket
			if before.packets[b] == 0 {
				style = newPacket
			}
			now = append(now, shot{2, style, p.rect(b).path()})
		}
		for id, b := range s.objects {
			style := stayStyle
			if _, was := before.objects[id]; !was {
				style = arriveStyle
			}
			now = append(now, shot{3, style, p.rect(b).atLeast(minObject).path()})
		}
		for id, b := range before.objects {
			if _, is := s.objects[id]; !is {
				now = append(now, shot{3, leaveStyle, p.rect(b).atLeast(minObject).path()})
			}
		}
		list = append(list, now)
		before = s
	}
	return list
}

// run is a range of states, from one to before another, in which a shape is visible.
type run struct{ from, to int }

// runsOf returns the runs of the elements of some states.
func runsOf[T comparable](list [][]T) map[T][]run {
	runs := map[T][]run{}
	for i, now := range list {
		for _, x := range now {
			r := runs[x]
			switch n := len(r); {
			case n > 0 && r[n-1].to == i+1: // twice in a state
			case n > 0 && r[n-1].to == i:
				r[n-1].to++
			default:
				runs[x] = append(r, run{i, i + 1})
			}
		}
	}
	return runs
}

// SVG writes the animation. A shape of several states is written once, so that the text grows
// with the changes. Viewers without animation show the state of most objects. The output is a
// function of the states, to the byte. The error names a width or a step out of range, or an
// animation without states; w's errors are returned.
func (f *Animation) SVG(w io.Writer) error {
	if err := checkWidth(f.Width); err != nil {
		return err
	}
	if !(f.Step >= 0 && f.Step <= 3600) {
		return fmt.Errorf("show: a step of %v s, want 0 to 3600", f.Step)
	}
	if len(f.states) == 0 {
		return fmt.Errorf("show: an animation without states")
	}
	all := soa.Empty()
	for _, s := range f.states {
		all = all.Union(s.world)
		for _, b := range s.objects {
			all = all.Union(b)
		}
	}
	title := f.Title
	if title == "" {
		title = "A tree splits, grows and merges"
	}
	p := newSheet(f.Width, sideWidth, all, title, f.About)
	groups := map[shot][]string{} // path holds the animation of the run here
	for s, runs := range runsOf(f.scenes(p)) {
		for _, r := range runs {
			key := shot{s.layer, s.style, f.play(r)}
			groups[key] = append(groups[key], s.path)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(groups), func(a, b shot) int {
		return cmp.Or(cmp.Compare(a.layer, b.layer), cmp.Compare(a.style, b.style), cmp.Compare(a.path, b.path))
	}) {
		slices.Sort(groups[key])
		p.beginPath(key.style)
		for _, path := range groups[key] {
			p.piece(path)
		}
		p.printf("\"\n%s</path>\n", key.path)
	}
	p.done()
	f.legend(p)
	_, err := io.WriteString(w, p.end())
	return err
}

// play returns the rest of an element that is visible in a run, without its end tag: its
// visibility in viewers without animation, and the animation.
func (f *Animation) play(r run) string {
	n := len(f.states)
	still := 0
	for i := range f.states {
		if len(f.states[i].objects) > len(f.states[still].objects) {
			still = i
		}
	}
	seen := ""
	if still < r.from || still >= r.to {
		seen = ` visibility="hidden"`
	}
	values, times := "", ""
	add := func(state int, value string) {
		if values != "" {
			values, times = values+";", times+";"
		}
		values, times = values+value, times+fmt.Sprintf("%.5g", float64(state)/float64(n))
	}
	if r.from > 0 {
		add(0, "hidden")
	}
	add(r.from, "visible")
	if r.to < n {
		add(r.to, "hidden")
	}
	if r.from == 0 && r.to == n {
		return ">"
	}
	return fmt.Sprintf(`%s><animate attributeName="visibility" calcMode="discrete" dur="%gs" repeatCount="indefinite" values="%s" keyTimes="%s"/>`,
		seen, f.seconds(), values, times)
}

// seconds returns the duration of the animation.
func (f *Animation) seconds() float64 {
	step := f.Step
	if step == 0 {
		step = 1
	}
	return step * float64(len(f.states))
}

// legend writes the meaning of the shapes, and the counts of each state.
func (f *Animation) legend(p *sheet) {
	p.heading("Objects")
	p.key(arriveStyle, "inserted in this step")
	p.key(stayStyle, "stay")
	p.key(leaveStyle, "removed in this step")
	p.heading("The tree")
	p.key(worldStyle, "the world of the keys")
	p.key(cellStyle(0), "cells, a colour a level")
	p.key(oldPacket, "tight boxes of packets")
	p.key(newPacket, "changed in this step")
	p.heading("This step")
	lines := make([][]captionLine, len(f.states))
	for i, s := range f.states {
		words := []string{
			fmt.Sprintf("%d of %d: %s", i+1, len(f.states), s.caption),
			count(len(s.objects), "object", "objects"),
			count(s.ofPacket, "packet", "packets") + ", " + count(s.nodes, "node", "nodes"),
			count(len(s.cells), "cell", "cells"),
			fmt.Sprintf("%s, %s", count(s.work.Splits, "split", "splits"), count(s.work.Merges, "merge", "merges")),
			fmt.Sprintf("the world %.4g wide", float64(s.world.Max[0])-float64(s.world.Min[0])),
		}
		switch {
		case s.work.Grown > 0:
			words[5] += ", doubled"
		case s.work.Shrunk > 0:
			words[5] += ", halved"
		}
		for row, text := range words {
			lines[i] = append(lines[i], captionLine{row, text})
		}
	}
	x, top, rows := p.frame.x1+24, p.row, 0
	runs := runsOf(lines)
	for _, l := range slices.SortedFunc(maps.Keys(runs), func(a, b captionLine) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(runs[a][0].from, runs[b][0].from), cmp.Compare(a.text, b.text))
	}) {
		rows = max(rows, l.row+1)
		for _, r := range runs[l] {
			p.printf(`<text x="%s" y="%s"%s%s</text>`+"\n", num(x), num(top+7+float64(20*float64(l.row))), f.play(r), escape(l.text))
		}
	}
	p.row = top + float64(20*float64(rows)) + 8
	// Progress bar.
	wide := num(sideWidth - 24)
	p.printf(`<rect x="%s" y="%s" width="%s" height="4" fill="%s"/>`+"\n", num(x), num(p.row), wide, missColour)
	p.printf(`<rect x="%s" y="%s" width="0" height="4" fill="%s"><animate attributeName="width" dur="%gs" repeatCount="indefinite" from="0" to="%s"/></rect>`+"\n",
		num(x), num(p.row), softColour, f.seconds(), wide)
	p.row += lineHeight
}

// captionLine is a line of the legend in a state.
type captionLine struct {
	row  int
	text string
}
