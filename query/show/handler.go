package show

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// MaxObjects is the number of objects up to which a [Handler] draws pictures: each is drawn, and
// a page of more is none that a browser shows.
const MaxObjects = 200_000

// Handler returns pages about a tree, to be mounted beside /debug/pprof:
//
//	mux.Handle("/debug/octree/", http.StripPrefix("/debug/octree", show.Handler(look)))
//
//	/          statistics, and links to the others
//	/profile   the tree as a profile: go tool pprof http://HOST/debug/octree/profile
//	/icicle    the profile as an icicle graph; value=objects|packets|nodes|bytes|visits, rows=1…40
//	/picture   a map; kind=boxes, or hero, query, walk with a query; z=HEIGHT cuts it
//
// A query is one of these parameters, numbers with commas; on profile and icicle it gives visits:
//
//	box=x0,y0,z0,x1,y1,z1   sphere=x,y,z,r   nearest=x,y,z,k
//	ray=x,y,z,dx,dy,dz,length, whose direction need not have length 1
//	planes=24 numbers, the planes of a frustum
//
// with mask=N, the type mask of the filter, and exact=true if wanted. Pictures take width=640…4000
// and format=svg or png. What is unknown, given twice or out of range is answered by status 400 and
// the reason, a picture of more than [MaxObjects] by 413, and a method other than GET and HEAD by 405.
//
// Look is called for each request, of any number at a time, and returns a view that stays valid
// until release is called, which it is when the page has been made and before it is sent. With a
// [linear.Publisher] that is
//
//	func() (linear.View, func()) { h := p.Acquire(); return h.View(), h.Release }
//
// and with a tree under a lock, whose writer then waits for the page,
//
//	func() (linear.View, func()) { mu.RLock(); return tree.View(), mu.RUnlock }
//
// Pages show what is in the tree: serve them on the loopback address or behind a login. Nothing is
// registered in net/http.
func Handler(look func() (v linear.View, release func())) http.Handler {
	return &handler{look: look}
}

type handler struct {
	look func() (linear.View, func())
}

// pages make what a path shows.
var pages = map[string]func(b *bytes.Buffer, v linear.View, p *params) (contentType string, err error){
	"/": statistics, "/profile": profilePage, "/icicle": iciclePage, "/picture": picturePage,
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if path == "" {
		path = "/"
	}
	page, ok := pages[path]
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
		return
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var b bytes.Buffer
	kind, err := h.make(&b, page, &params{values: values})
	if err != nil {
		status := http.StatusBadRequest
		if _, large := err.(tooLarge); large {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(b.Bytes()) // an error is of the connection, which net/http ends
}

// make makes a page while the view is valid.
func (h *handler) make(b *bytes.Buffer, page func(*bytes.Buffer, linear.View, *params) (string, error), p *params) (string, error) {
	v, release := h.look()
	defer release()
	return page(b, v, p)
}

// tooLarge is the error of a tree with too many objects for a picture.
type tooLarge int

func (n tooLarge) Error() string {
	return fmt.Sprintf("show: a picture of %d objects, want at most %d: take the profile or the icicle", int(n), MaxObjects)
}

var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>octree</title></head>
<body style="font-family: sans-serif; margin: 2em"><h1>The octree</h1>
<pre>{{.Stats}}</pre>
<ul>
<li><a href="picture">picture</a> of its boxes{{if .Ask}}; <a href="picture?kind=walk&amp;{{.Ask}}">walk</a> of a query{{end}}</li>
<li><a href="icicle">icicle</a>{{if .Ask}}; <a href="icicle?{{.Ask}}">with visits</a>{{end}}</li>
<li><a href="profile">profile</a> for go tool pprof</li>
</ul></body></html>
`))

func statistics(b *bytes.Buffer, v linear.View, p *params) (string, error) {
	if err := p.done(); err != nil {
		return "", err
	}
	page := struct {
		Stats string
		Ask   template.URL // numbers and commas
	}{Stats: v.Stats().String()}
	if v.Len() > 0 {
		// A ball in the middle, of a quarter of the width.
		all := boundsOf(v)
		c := all.Center()
		size := max(all.Max[0]-all.Min[0], all.Max[1]-all.Min[1])
		page.Ask = template.URL(fmt.Sprintf("sphere=%g,%g,%g,%g", c[0], c[1], c[2], size/4))
	}
	return "text/html; charset=utf-8", indexPage.Execute(b, page)
}

func profilePage(b *bytes.Buffer, v linear.View, p *params) (string, error) {
	heat, err := p.heat(v)
	if err != nil {
		return "", err
	}
	return "application/octet-stream", WriteProfile(b, v, heat)
}

func iciclePage(b *bytes.Buffer, v linear.View, p *params) (string, error) {
	value := p.oneOf("value", valueNames[:]...)
	pic := Icicle{Value: value, Width: p.integer("width", 1200, MinWidth, maxPage), Rows: p.integer("rows", 14, 1, 40)}
	format := p.oneOf("format", "svg", "png")
	heat, err := p.heat(v)
	if err != nil {
		return "", err
	}
	if pic.Profile, err = Profile(v, heat); err != nil {
		return "", err
	}
	return send(b, pic, format)
}

// maxPage is the largest width of a picture that is asked for.
const maxPage = 4000

func picturePage(b *bytes.Buffer, v linear.View, p *params) (string, error) {
	kinds := []string{Boxes, Hero, Answer, Walk}
	s := Scene{View: v, About: "the tree", Kind: kinds[p.oneOf("kind", kinds...)], Width: p.integer("width", 960, MinWidth, maxPage)}
	format := p.oneOf("format", "svg", "png")
	if z, ok := p.number("z"); ok {
		s.Slice = &z
	}
	if n := v.Len(); n > MaxObjects {
		return "", tooLarge(n)
	}
	var err error
	if s.Query, err = p.query(v); err != nil {
		return "", err
	}
	if err := p.done(); err != nil {
		return "", err
	}
	return send(b, s, format)
}

// send writes a picture in format 0, SVG, or 1, PNG.
func send(b *bytes.Buffer, d Drawing, format int) (string, error) {
	if format == 1 {
		return "image/png", PNG(b, d)
	}
	return "image/svg+xml", d.SVG(b)
}

// heat returns what the query of the parameters visits, nil if there is none.
func (p *params) heat(v linear.View) (*query.Heat, error) {
	q, err := p.query(v)
	if err == nil {
		err = p.done()
	}
	if q == nil || err != nil {
		return nil, err
	}
	return q.Heat, nil
}
