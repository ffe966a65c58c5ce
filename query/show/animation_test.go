package show

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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

// Pixels match the elements: coverage by area, overlaps once, strokes and dashes.
func TestRasterise(t *testing.T) {
	img, err := rasterise(strings.NewReader(`<svg width="40" height="30">
<rect width="40" height="30" fill="#ffffff"/>
<path fill="#000000" d="M2 2h4v4h-4zM4 4h4v4h-4z"/>
<path fill="#000000" fill-opacity="0.5" d="M10.5 2h2v2h-2z"/>
<path fill="none" stroke="#ff0000" stroke-width="2" d="M2 12L20 12"/>
<path fill="none" stroke="#0000ff" stroke-width="2" stroke-dasharray="4 6" d="M0 20h40"/>
<clipPath id="map"><rect x="30" y="0" width="5" height="5"/></clipPath>
<g clip-path="url(#map)"><path fill="#00ff00" d="M20 0h20v20h-20z"/></g>
</svg>`), limits{})
	testkit.Must(t, err)
	white, black := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}
	red, blue, green := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{0, 255, 0, 255}
	for at, want := range map[image.Point]color.RGBA{
		{1, 1}: white, {2, 2}: black, {5, 5}: black, {7, 7}: black, {7, 2}: white,
		{10, 2}: {191, 191, 191, 255}, {11, 2}: {128, 128, 128, 255}, {12, 3}: {191, 191, 191, 255}, {13, 2}: white,
		{3, 11}: red, {3, 12}: red, {3, 10}: white, {3, 13}: white, {25, 12}: white,
		{2, 20}: blue, {7, 20}: white, {12, 20}: blue, {17, 20}: white,
		{30, 0}: green, {34, 4}: green, {29, 0}: white, {35, 0}: white, {30, 5}: white,
	} {
		if got := img.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
	if _, err := rasterise(strings.NewReader("<svg><rect</svg>"), limits{}); err == nil {
		t.Error("no error for a file that is not SVG")
	}
}

// Every letter exists, and differs from the others.
func TestFont(t *testing.T) {
	seen := map[string]rune{}
	for letter := ' '; letter <= '~'; letter++ {
		at := 10 * int(letter-' ')
		if other, ok := seen[glyphs[at:at+10]]; ok {
			t.Errorf("%c has the glyph of %c", letter, other)
		}
		seen[glyphs[at:at+10]] = letter
	}
	if len(glyphs) != 10*95 {
		t.Errorf("%d digits of glyphs, want %d", len(glyphs), 10*95)
	}
}

// All drawings are images of their size, in which their colours occur.
func TestPNG(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(400, 1)
	tree := trees.Plant(t, objects, false)
	ball := traceOf(t, made[query.Sphere](t)(query.NewSphere(objects[0].Box.Center(), 20)), tree.View())
	drawings := map[string]Drawing{
		"hidden": partition(t), "placed": testInstances(t, 5, 20, 0.3, true),
		"icicle": Icicle{profileOf(t, tree.View(), ball.Heat), 700, Bytes, 5},
	}
	for _, kind := range allKinds() {
		drawings[kind.String()] = Scene{Kind: kind, View: tree.View(), Tree: tree, Width: 700, Trace: ball}
	}
	for name, d := range drawings {
		var b bytes.Buffer
		if err := PNG(&b, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		colours := map[color.Color]int{}
		size := img.Bounds()
		for y := range size.Dy() {
			for x := range size.Dx() {
				colours[img.At(x, y)]++
			}
		}
		if len(colours) < 5 || colours[color.RGBA{0x22, 0x22, 0x22, 255}] < 100 || size.Dx() < MinWidth {
			t.Errorf("%s: %d colours, %d pixels of ink, size %v", name, len(colours), colours[color.RGBA{0x22, 0x22, 0x22, 255}], size)
		}
	}
	if err := PNG(new(bytes.Buffer), Scene{Width: 1}); err == nil {
		t.Error("no error of a width of 1")
	}
}
