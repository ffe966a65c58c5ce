package show

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
)

// slab is a rectangle of a picture.
type slab struct {
	x, y, w, h float64
	title      string
}

// slabs parses an SVG and returns the rectangles with a title.
func slabs(t *testing.T, svg string) (list []slab) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	title, inTitle := "", false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		testkit.Must(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			if inTitle = e.Name.Local == "title"; inTitle {
				title = ""
			}
			if e.Name.Local != "rect" || title == "" {
				continue
			}
			r := slab{title: title}
			for _, a := range e.Attr {
				at := map[string]*float64{"x": &r.x, "y": &r.y, "width": &r.w, "height": &r.h}[a.Name.Local]
				if at == nil {
					continue
				}
				if *at, err = strconv.ParseFloat(a.Value, 64); err != nil {
					t.Fatal(err)
				}
			}
			list, title = append(list, r), ""
		case xml.CharData:
			if inTitle {
				title += string(e)
			}
		case xml.EndElement:
			inTitle = false
		}
	}
}

// Each frame lies below one that is at least as wide, inside the picture, and
// its width is its part of the value.
func TestIcicle(t *testing.T) {
	for form, tree := range forms(t, "city", 3000) {
		h, _ := heatOf(t, tree.View())
		p := profileOf(t, tree.View(), h)
		for value := range NumValues {
			var b strings.Builder
			testkit.Must(t, (Icicle{p, 800, value, 7}).SVG(&b))
			list := slabs(t, b.String())
			if sum := Sums(p)[value]; len(list) == 0 != (sum == 0) {
				t.Errorf("%s, %s: %d frames of a sum of %d", form, valueNames[value], len(list), sum)
			}
			for i, r := range list {
				if r.x < icicleMargin-0.01 || r.x+r.w > 800-icicleMargin+0.01 || r.y < icicleHead || r.y >= icicleHead+7*rowHeight {
					t.Errorf("%s, %s: %+v is outside", form, valueNames[value], r)
				}
				held := i == 0 && r.y == icicleHead && math.Abs(r.w-(800-2*icicleMargin)) < 0.01
				for _, up := range list[:i] {
					held = held || up.y == r.y-rowHeight && up.x <= r.x+0.02 && up.x+up.w >= r.x+r.w-0.02
				}
				if !held {
					t.Errorf("%s, %s: %+v hangs in the air", form, valueNames[value], r)
				}
			}
		}
	}
}

// Narrow elements share a block with their neighbours: in a large tree all blocks and frames below the root
// are wide enough to be visible or stand between wider ones, none is left out, and the legend counts them.
func TestIcicleBlocks(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "city").Make(20_000, 1), false)
	h, _ := heatOf(t, tree.View())
	var b strings.Builder
	testkit.Must(t, (Icicle{profileOf(t, tree.View(), h), 640, Objects, 20}).SVG(&b))
	wellFormed(t, b.String())
	rows := map[float64][]slab{}
	blocks, more, single := 0, 0, 0
	for _, r := range slabs(t, b.String()) {
		if n, _ := strings.CutPrefix(r.title, "and "); n != r.title {
			n, _, _ = strings.Cut(n, " more")
			count, err := strconv.Atoi(n)
			if err != nil || count < 2 {
				t.Errorf("a block of %q", r.title)
			}
			blocks, more = blocks+1, more+count
		} else {
			single++
		}
		rows[r.y] = append(rows[r.y], r)
	}
	if blocks < 10 || single < 10 {
		t.Fatalf("%d blocks and %d frames are too few to test with", blocks, single)
	}
	for y, row := range rows {
		for i := 1; i < len(row); i++ {
			if a, b := row[i-1], row[i]; a.w < narrowest && b.w < narrowest && b.x-a.x-a.w < 0.02 && strings.HasPrefix(a.title, "octant") && strings.HasPrefix(b.title, "octant") {
				// Siblings would be one block; these are of two cells.
				if up := rows[y-rowHeight]; !slices.ContainsFunc(up, func(u slab) bool { return math.Abs(u.x+u.w-b.x) < 0.02 }) {
					t.Errorf("%+v and %+v are not one block", a, b)
				}
			}
		}
	}
	for _, want := range []string{fmt.Sprintf("; %d more in %d blocks like +8", more, blocks), fmt.Sprintf(">%d cells, packets and nodes drawn", single)} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "\u00a0", ""), want) {
			t.Errorf("the legend does not contain %q", want)
		}
	}
	// Rows that are left out are counted.
	b.Reset()
	testkit.Must(t, (Icicle{profileOf(t, tree.View(), h), 640, Objects, 3}).SVG(&b))
	if !strings.Contains(b.String(), " below the last row<") {
		t.Error("the legend does not count the omitted rows")
	}
}

// A small picture is the one in testdata, to the byte.
func TestIcicleGolden(t *testing.T) {
	tree, err := linear.New(linear.Config{})
	testkit.Must(t, err)
	if _, err := tree.InsertBatch(nil, testkit.SceneByName(t, "city").Make(400, 1)); err != nil {
		t.Fatal(err)
	}
	h, _ := heatOf(t, tree.View())
	var b strings.Builder
	testkit.Must(t, (Icicle{profileOf(t, tree.View(), h), 640, Objects, 8}).SVG(&b))
	path := filepath.Join("testdata", "icicle.svg")
	if *update {
		testkit.Must(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(path)
	testkit.Must(t, err)
	if b.String() != string(want) {
		t.Errorf("the picture differs from %s: review it, then renew it with -update", path)
	}
}

func TestWarm(t *testing.T) {
	for x, want := range map[float64]string{-1: "#c6dbef", 0: "#c6dbef", 1: "#e3583c", 7: "#e3583c", 1.0 / 3: "#f1edd6"} {
		if got := warm(x); got != want {
			t.Errorf("warm(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name  string
		width float64
		want  string
	}{
		{"octant 303", 100, "octant 303"}, {"octant 303", 40, "303"}, {"octant 302", 20, "2"}, {"octant 303", 7, ""},
		{"part 53+1", 40, "53+1"}, {"part 53+1", 20, ""}, {"packet of 14", 40, ""}, {"root", 40, "root"}, {"", 40, ""},
	} {
		if got := fit(c.name, c.width); got != c.want {
			t.Errorf("%q in %v pixels: %q, want %q", c.name, c.width, got, c.want)
		}
	}
}
