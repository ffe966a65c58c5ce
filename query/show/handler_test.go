package show_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// pagesOf returns a handler of the last publication.
func pagesOf(p *linear.Publisher) http.Handler {
	return show.Handler(func() (linear.View, func()) {
		h := p.Acquire()
		return h.View(), h.Release
	})
}

func get(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	h.ServeHTTP(w, r)
	return w
}

// check fails unless a page is of its type.
func check(t *testing.T, path string, w *httptest.ResponseRecorder) {
	t.Helper()
	body := w.Body.Bytes()
	if w.Code != 200 {
		t.Errorf("%s: status %d, %s", path, w.Code, body)
		return
	}
	var err error
	switch kind := w.Header().Get("Content-Type"); kind {
	case "image/png":
		_, err = png.Decode(bytes.NewReader(body))
	case "image/svg+xml":
		for d := xml.NewDecoder(bytes.NewReader(body)); err == nil; {
			_, err = d.Token()
		}
		if err == io.EOF {
			err = nil
		}
	case "application/octet-stream":
		_, err = profile.ParseData(body)
	case "text/html; charset=utf-8":
	default:
		t.Errorf("%s: of type %s", path, kind)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// Several clients request pages at a time while the tree changes.
func TestHandler(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(1500, 1)
	tree := trees.Plant(t, objects, false)
	p := linear.NewPublisher(tree)
	h := pagesOf(p)
	paths := []string{
		"", "/", "/profile", "/profile?box=0,0,0,9,9,9", "/icicle", "/icicle?value=visits&rows=5&sphere=0,0,0,9",
		"/picture", "/picture?kind=walk&sphere=0,0,0,50&mask=1&exact=true", "/picture?kind=overview&nearest=1,2,3,9&z=1",
		"/picture?kind=result&ray=0,0,1,1,1,0,70&format=png&width=640",
	}
	var wait sync.WaitGroup
	for _, path := range paths {
		wait.Go(func() {
			for range 3 {
				check(t, path, get(h, path))
			}
		})
	}
	for i := range 20 {
		if err := tree.Move(uint32(i), objects[i+20].Box); err != nil {
			t.Error(err)
		}
		if err := tree.Tick(); err != nil {
			t.Error(err)
		}
		p.Publish()
	}
	wait.Wait()
	if held := tree.Stats().Held; held != 0 {
		t.Errorf("%d versions are not released", held)
	}
}

// Invalid parameters return an error.
func TestHandlerErrors(t *testing.T) {
	h := pagesOf(linear.NewPublisher(trees.Plant(t, testkit.SceneByName(t, "city").Make(50, 1), false)))
	for path, want := range map[string]string{
		"/picture?kind=art":                       `kind="art", want one of boxes, overview`,
		"/picture?kind=walk":                      "walk without the trace of a query",
		"/picture?width=9":                        `width="9", want 640 to 4000`,
		"/picture?z=NaN":                          `z: "NaN" is not a finite number`,
		"/picture?box=1,2":                        "box has 2 numbers, want 6",
		"/picture?box=5,5,5,1,1,1":                "query:",
		"/picture?colour=red":                     `unknown parameter "colour"`,
		"/picture?width=700&width=800":            "width is given 2 times",
		"/picture?format=gif":                     `format="gif"`,
		"/picture?sphere=0,0,0,1&mask=-1":         `mask="-1"`,
		"/picture?nearest=0,0,0,2.5":              "nearest asks for 2.5, want 1 to 10000",
		"/icicle?rows=0":                          `rows="0", want 1 to 40`,
		"/icicle?value=money":                     `value="money"`,
		"/icicle?box=0,0,0,1,1,1&ray=0":           "ray has 1 numbers",
		"/profile?sphere=0,0,0,1&nearest=1,1,1,1": "2 queries, want one",
		"/profile?sphere=%zz":                     "invalid URL escape",
		"/?x=1":                                   `unknown parameter "x"`,
	} {
		if w := get(h, path); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s, want %s", path, w.Code, w.Body, want)
		}
	}
	if w := get(h, "/secret"); w.Code != 404 {
		t.Errorf("status %d of a page that is none", w.Code)
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("POST", "/", nil)); w.Code != 405 {
		t.Errorf("status %d of POST", w.Code)
	}
	empty := pagesOf(linear.NewPublisher(trees.Plant(t, nil, false)))
	for path, status := range map[string]int{"/": 200, "/profile": 200, "/icicle": 200, "/picture": 400} {
		if w := get(empty, path); w.Code != status {
			t.Errorf("of an empty tree %s has status %d, want %d: %s", path, w.Code, status, w.Body)
		}
	}
}

// The legend of a walk shows the counters of Explain.
func TestHandlerCounts(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(900, 1)
	tree := trees.Plant(t, objects, false)
	body := get(pagesOf(linear.NewPublisher(tree)), "/picture?kind=walk&box=-20,-20,-20,20,20,20").Body.String()
	b := queries.Box(t, soa.AABB{Min: [3]float32{-20, -20, -20}, Max: [3]float32{20, 20, 20}})
	c := b.Explain(tree.View(), query.Filter{}, nil)
	for _, want := range []string{
		fmt.Sprintf(">%d + %d entered<", c.Nodes, c.Packets), fmt.Sprintf(">%d candidates<", c.Tested),
		fmt.Sprintf(">%d in the result<", b.Count(tree.View(), query.Filter{})),
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the legend", want)
		}
	}
}

// For any parameters the handler returns a page or a reason.
func FuzzHandler(f *testing.F) {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, testkit.SceneByName(f, "city").Make(40, 1)); err != nil {
		f.Fatal(err)
	}
	h := pagesOf(linear.NewPublisher(tree))
	for _, seed := range []string{"kind=walk&sphere=1,2,3,4", "box=1e38,1,1,3e38,2,2", "ray=0,0,0,1e-40,0,0,3e38&kind=overview&format=png", "z=1e38", "planes=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1&kind=result"} {
		f.Add("/picture", seed)
		f.Add("/icicle", seed)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		w := get(h, path+"?"+strings.ReplaceAll(text, "?", ""))
		if w.Code == 200 {
			check(t, path, w)
		} else if w.Code != 400 && w.Code != 404 {
			t.Errorf("status %d of %s %s", w.Code, path, url.QueryEscape(text))
		}
	})
}

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
