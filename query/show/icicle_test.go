package show

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
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
		if err != nil {
			t.Fatal(err)
		}
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
		for value := range Values {
			var b strings.Builder
			if err := (Icicle{p, 800, value, 7}).SVG(&b); err != nil {
				t.Fatal(err)
			}
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

// A small picture is the one in testdata, to the byte.
func TestIcicleGolden(t *testing.T) {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, testkit.SceneByName(t, "city").Make(400, 1)); err != nil {
		t.Fatal(err)
	}
	h, _ := heatOf(t, tree.View())
	var b strings.Builder
	if err := (Icicle{profileOf(t, tree.View(), h), 640, Objects, 8}).SVG(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "icicle.svg")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the picture differs from %s: look at it, then write it anew with -update", path)
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
	}{{"octant 303", 100, "octant 303"}, {"octant 303", 40, "303"}, {"octant 303", 20, ""}, {"packet of 14", 40, ""}, {"root", 40, "root"}} {
		if got := fit(c.name, c.width); got != c.want {
			t.Errorf("%q in %v pixels: %q, want %q", c.name, c.width, got, c.want)
		}
	}
}
