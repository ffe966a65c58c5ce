package show

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// seen is the visible content of an animation in a state: the number of rectangles of each style, and its
// texts.
type seen struct {
	shapes map[string]int
	texts  []string
}

// played parses an animation and returns the visible content of each state.
func played(t *testing.T, svg string, states int) []seen {
	t.Helper()
	list := make([]seen, states)
	for i := range list {
		list[i].shapes = map[string]int{}
	}
	dec := xml.NewDecoder(strings.NewReader(svg))
	type element struct {
		style, d, text string
		visible        []bool
	}
	var open []*element
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return list
		}
		testkit.Must(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			a := map[string]string{}
			var style []string
			for _, x := range e.Attr {
				if a[x.Name.Local] = x.Value; !slices.Contains([]string{"d", "visibility"}, x.Name.Local) {
					style = append(style, fmt.Sprintf("%s=%q", x.Name.Local, x.Value))
				}
			}
			if e.Name.Local == "animate" && a["attributeName"] == "visibility" {
				up := open[len(open)-1]
				times, values := strings.Split(a["keyTimes"], ";"), strings.Split(a["values"], ";")
				if len(times) != len(values) || times[0] != "0" || a["calcMode"] != "discrete" || a["repeatCount"] != "indefinite" {
					t.Fatalf("animation %v", a)
				}
				for i := range up.visible {
					for k := range times {
						at, err := strconv.ParseFloat(times[k], 64)
						testkit.Must(t, err)
						if at <= (float64(i)+0.5)/float64(states) {
							up.visible[i] = values[k] == "visible"
						}
					}
				}
			}
			x := &element{style: strings.Join(style, " "), d: a["d"], visible: make([]bool, states)}
			for i := range x.visible {
				x.visible[i] = a["visibility"] != "hidden"
			}
			open = append(open, x)
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(e)
			}
		case xml.EndElement:
			x := open[len(open)-1]
			open = open[:len(open)-1]
			for i := range list {
				if x.visible[i] && e.Name.Local == "path" {
					list[i].shapes[x.style] += strings.Count(x.d, "z")
				}
				if x.visible[i] && e.Name.Local == "text" {
					list[i].texts = append(list[i].texts, strings.ReplaceAll(x.text, "\u00a0", ""))
				}
			}
		}
	}
}

// An animation shows its states in order: in each the current objects, inserted and removed ones, and as
// many packets as the tree has.
func TestAnimation(t *testing.T) {
	tree, err := linear.New(linear.Config{Workers: 1, Policy: linear.PolicyIncremental})
	testkit.Must(t, err)
	animation := &Animation{Width: 700, About: "a test"}
	objects := testkit.SceneByName(t, "uniform").Make(420, 1)
	var ids []uint32
	type facts struct{ objects, inserted, removed, packets, nodes, splits, merges int }
	var want []facts
	for step := range 14 {
		var f facts
		if step < 7 {
			more, err := tree.InsertBatch(nil, objects[60*step:60*step+60])
			testkit.Must(t, err)
			ids, f.inserted = append(ids, more...), 60
		} else {
			f.removed = 54
			testkit.Must(t, tree.RemoveBatch(ids[:f.removed]))
			ids = ids[f.removed:]
		}
		testkit.Must(t, tree.Tick())
		animation.Add(tree, fmt.Sprintf("step <%d>", step))
		st := tree.Stats()
		f.objects, f.packets, f.nodes, f.splits, f.merges = tree.Len(), st.Packets, st.Nodes, tree.Work().Splits, tree.Work().Merges
		want = append(want, f)
	}
	if animation.Len() != len(want) {
		t.Fatalf("%d states, want %d", animation.Len(), len(want))
	}
	var b, again strings.Builder
	testkit.Must(t, animation.SVG(&b))
	if err := animation.SVG(&again); err != nil || again.String() != b.String() {
		t.Errorf("written again the animation differs, %v", err)
	}
	if e := wellFormed(t, b.String()); e["script"] > 0 || e["animate"] == 0 {
		t.Errorf("%v elements", e)
	}
	for i, s := range played(t, b.String(), len(want)) {
		f := want[i]
		keys := 1 // of the legend, for each style
		if got := s.shapes[arriveStyle] - keys; got != f.inserted {
			t.Errorf("state %d: %d objects inserted, want %d", i, got, f.inserted)
		}
		if got := s.shapes[stayStyle] - keys; got != f.objects-f.inserted {
			t.Errorf("state %d: %d objects kept, want %d", i, got, f.objects-f.inserted)
		}
		if got := s.shapes[leaveStyle] - keys; got != f.removed {
			t.Errorf("state %d: %d objects removed, want %d", i, got, f.removed)
		}
		if got := s.shapes[newPacket] + s.shapes[oldPacket] - 2*keys; got != f.packets {
			t.Errorf("state %d: %d packets, want %d", i, got, f.packets)
		}
		for _, text := range []string{
			fmt.Sprintf("%d of %d: step <%d>", i+1, len(want), i), count(f.objects, "object", "objects"),
			count(f.packets, "packet", "packets") + ", " + count(f.nodes, "node", "nodes"),
			count(f.splits, "split", "splits") + ", " + count(f.merges, "merge", "merges"),
		} {
			if !slices.Contains(s.texts, strings.ReplaceAll(text, "\u00a0", "")) {
				t.Errorf("state %d: no text %q in %q", i, text, s.texts)
			}
		}
	}
	splits, merges := 0, 0
	for _, f := range want {
		splits, merges = splits+f.splits, merges+f.merges
	}
	if splits == 0 || merges == 0 {
		t.Errorf("no node is split or merged: the test is empty: %+v", want)
	}
	// Without animation, the picture is the state with the most objects.
	var img bytes.Buffer
	testkit.Must(t, PNG(&img, animation))
	if _, err := png.Decode(&img); err != nil {
		t.Fatal(err)
	}
	still := strings.Count(strings.ReplaceAll(b.String(), "<animate", ""), "7 of 14: step")
	if still != 1 {
		t.Errorf("the caption of state 7 is there %d times", still)
	}
}

func TestAnimationErrors(t *testing.T) {
	tree, err := linear.New(linear.Config{})
	testkit.Must(t, err)
	one := func(f Animation) *Animation {
		f.Add(tree, "nothing")
		return &f
	}
	for name, f := range map[string]*Animation{
		"without states": {Width: 640}, "narrow": one(Animation{Width: 639}), "wide": one(Animation{Width: MaxWidth + 1}),
		"backwards": one(Animation{Width: 640, Step: -1}), "NaN": one(Animation{Width: 640, Step: math.NaN()}), "Inf": one(Animation{Width: 640, Step: math.Inf(1)}),
	} {
		var b strings.Builder
		if err := f.SVG(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
		}
	}
	var b strings.Builder
	if err := one(Animation{Width: 640}).SVG(&b); err != nil {
		t.Errorf("a animation of an empty tree: %v", err)
	}
	wellFormed(t, b.String())
}

// A shape has one run for each time that it appears.
func TestRuns(t *testing.T) {
	runs := runsOf([][]string{{"a", "b"}, {"a", "a"}, {"b"}, {"a", "b"}})
	if got := fmt.Sprint(runs["a"], runs["b"]); got != "[{0 2} {3 4}] [{0 1} {2 4}]" {
		t.Errorf("runs %s", got)
	}
}
