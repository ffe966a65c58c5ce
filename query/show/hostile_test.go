package show_test

import (
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Texts of any bytes make a valid SVG, and an image.
func TestHostileText(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "city").Make(50, 1), false)
	p, err := show.Profile(tree.View(), nil)
	testkit.Must(t, err)
	for _, text := range []string{"a\x00b\x01\x1f", "\xff\xc0\x80", "\ufffe\uffff", "</text><script>&'\"", "]]>", "\t\r\n", "\U0010ffff"} {
		for _, f := range p.Function {
			f.Name = strings.Repeat(text, 2)
		}
		film := &show.Animation{Title: text, About: text, Width: 640}
		film.Add(tree, text)
		for _, d := range []show.Drawing{
			show.Scene{View: tree.View(), Title: text, About: text, Width: 640},
			show.Scene{View: tree.View(), Tree: tree, Kind: show.Occupancy, Title: text, About: text, Width: 640},
			show.Icicle{Profile: p, Width: 640, Rows: 9},
			film,
		} {
			var svg bytes.Buffer
			if err := d.SVG(&svg); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if strings.Contains(svg.String(), "<script") {
				t.Errorf("%q is not escaped", text)
			}
			for dec, err := xml.NewDecoder(&svg), error(nil); err != io.EOF; {
				if _, err = dec.Token(); err != nil && err != io.EOF {
					t.Fatalf("%T of %q: %v", d, text, err)
				}
			}
			if err := show.PNG(io.Discard, d); err != nil {
				t.Errorf("%T of %q: %v", d, text, err)
			}
		}
	}
}

// A profile of another program is rejected, whatever it lacks.
func TestHostileProfile(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "city").Make(50, 1), false)
	for name, damage := range map[string]func(s *profile.Sample){
		"values":   func(s *profile.Sample) { s.Value = s.Value[:1] },
		"stack":    func(s *profile.Sample) { s.Location = nil },
		"location": func(s *profile.Sample) { s.Location[len(s.Location)-1] = nil },
		"lines":    func(s *profile.Sample) { s.Location[1] = &profile.Location{} },
		"function": func(s *profile.Sample) { s.Location[0] = &profile.Location{Line: []profile.Line{{}}} },
	} {
		p, err := show.Profile(tree.View(), nil)
		testkit.Must(t, err)
		damage(p.Sample[len(p.Sample)/2])
		if err := (show.Icicle{Profile: p, Width: 640, Rows: 9}).SVG(io.Discard); err == nil || !strings.Contains(err.Error(), "not of a tree") {
			t.Errorf("without its %s: %v", name, err)
		}
	}
}

// The queries that the index page links are valid in a world of any size.
func TestIndexLinks(t *testing.T) {
	link := regexp.MustCompile(`href="([^"]*)"`)
	for _, size := range []float32{1e-40, 1e-5, 1, 1e20, 1e22, 1e30, math.MaxFloat32 / 4, math.MaxFloat32} {
		tree := trees.Plant(t, []soa.Object{
			{Box: testkit.CubeAt([3]float32{-size, -size, -size}, 0)}, {Box: testkit.CubeAt([3]float32{size, size, size}, 0)},
		}, false)
		h := pagesOf(linear.NewPublisher(tree))
		body := get(h, "/").Body.String()
		links := link.FindAllStringSubmatch(body, -1)
		if len(links) != 5 {
			t.Fatalf("%d links in %s", len(links), body)
		}
		for _, l := range links {
			path := "/" + html.UnescapeString(l[1])
			if w := get(h, path); w.Code != 200 {
				t.Errorf("size %g, %s: status %d, %s", size, path, w.Code, w.Body)
			}
		}
	}
}
