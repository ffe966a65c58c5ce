package show

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// MaxObjects is the number of objects up to which a [Handler] draws pictures.
const MaxObjects = 1_000_000

// The other bounds of a request.
const (
	maxPackets = 1_000_000 // of the tree of a profile or icicle, free ones included
	maxPixels  = 3_000_000 // of an image in PNG
	maxWaiting = 16        // requests that wait for their turn
)

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
// the reason, and a method other than GET and HEAD by 405.
//
// The work of a request is bounded: it takes about a second of one CPU, and allocates less than 64 MB. A picture of more than
// [MaxObjects], a profile or an icicle of more than a million packets, and an image in PNG of more than three
// million pixels are answered by status 413 with the bound. One request is served at a time. Up to 16 others
// wait for their turn, and more are answered by status 503 with Retry-After. A request ends early when
// its context does.
//
// Look is called for each request, once at a time, and returns a view that stays valid
// until release is called, which it is when the tree has been read, before an image is drawn and
// the page is sent. With a [linear.Publisher] that is
//
//	func() (linear.View, func()) { h := p.Acquire(); return h.View(), h.Release }
//
// and with a tree under a lock, whose writer then waits until the tree has been read,
//
//	func() (linear.View, func()) { mu.RLock(); return tree.View(), mu.RUnlock }
//
// Pages show what is in the tree: serve them on the loopback address or behind a login. Nothing is
// registered in net/http.
func Handler(look func() (v linear.View, release func())) http.Handler {
	return &handler{look: look, turn: make(chan struct{}, 1)}
}

type handler struct {
	look    func() (linear.View, func())
	turn    chan struct{} // holds a value while a request is served
	waiting atomic.Int32  // requests that wait or are served
}

// request is what a page is made of, and for whom.
type request struct {
	context.Context
	linear.View
	*params
}

// stopped reports whether the page is no longer wanted.
func (r *request) stopped() bool { return r.Err() != nil }

// finish makes the content of a page of what was read of the tree, which has been released by then.
type finish func(w io.Writer) error

// pages read what a path shows.
var pages = map[string]func(r *request) (contentType string, end finish, err error){
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
	kind, err := h.make(&b, page, &request{Context: r.Context(), params: &params{values: values}})
	switch {
	case err == nil:
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(b.Bytes()) // an error is of the connection, which net/http ends
	case r.Context().Err() != nil: // the client has left, or a handler around this one has set a deadline
		http.Error(w, r.Context().Err().Error(), http.StatusServiceUnavailable)
	case err == errBusy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case errors.As(err, new(tooLarge)):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// errBusy is the error of a request that nothing was done for.
var errBusy = fault.Errorf("show: %d requests are waiting, want at most %d", maxWaiting, maxWaiting)

// make makes a page when it is its turn.
func (h *handler) make(b *bytes.Buffer, page func(*request) (string, finish, error), r *request) (kind string, err error) {
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > 1+maxWaiting {
		return "", errBusy
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-r.Done():
	}
	if r.stopped() {
		return "", r.Err()
	}
	kind, end, err := h.read(page, r)
	if err == nil {
		err = r.Err()
	}
	if err == nil {
		err = end(stopping{b, r})
	}
	return kind, err
}

// read reads the tree while the view is valid.
func (h *handler) read(page func(*request) (string, finish, error), r *request) (string, finish, error) {
	v, release := h.look()
	defer release()
	r.View = v
	return page(r)
}

// stopping is a writer that fails when the page is no longer wanted.
type stopping struct {
	*bytes.Buffer
	r *request
}

func (s stopping) Write(p []byte) (int, error) {
	if err := s.r.Err(); err != nil {
		return 0, err
	}
	return s.Buffer.Write(p)
}

// tooLarge is the error of a page beyond a bound.
type tooLarge string

func (e tooLarge) Error() string { return "show: " + string(e) }

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

func statistics(r *request) (string, finish, error) {
	if err := r.done(); err != nil {
		return "", nil, err
	}
	page := struct {
		Stats string
		Ask   template.URL // numbers and commas
	}{Stats: r.Stats().String()}
	if r.Len() > 0 {
		// A ball in the middle, of a quarter of the width.
		all := r.Bounds()
		c := all.Center()
		size := max(all.Max[0]-all.Min[0], all.Max[1]-all.Min[1])
		page.Ask = template.URL(fmt.Sprintf("sphere=%g,%g,%g,%g", c[0], c[1], c[2], size/4))
	}
	return "text/html; charset=utf-8", func(w io.Writer) error { return indexPage.Execute(w, page) }, nil
}

// profile returns the profile of the tree, with the visits of the query of the parameters.
func (r *request) profile() (*profile.Profile, error) {
	if n := r.Slots(); n > maxPackets {
		return nil, tooLarge(fmt.Sprintf("a profile of %d packets, want at most %d", n, maxPackets))
	}
	q, err := r.query(r.View)
	if err == nil {
		err = r.done()
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, err
	}
	var heat *query.Heat
	if q != nil {
		heat = q.Heat
	}
	return Profile(r.View, heat)
}

func profilePage(r *request) (string, finish, error) {
	p, err := r.profile()
	return "application/octet-stream", func(w io.Writer) error { return p.Write(w) }, err
}

func iciclePage(r *request) (string, finish, error) {
	value := r.oneOf("value", valueNames[:]...)
	pic := Icicle{Value: value, Width: r.integer("width", 1200, MinWidth, maxPage), Rows: r.integer("rows", 14, 1, 40)}
	format := r.oneOf("format", "svg", "png")
	var err error
	if pic.Profile, err = r.profile(); err != nil {
		return "", nil, err
	}
	return r.drawn(pic, format)
}

// maxPage is the largest width of a picture that is asked for.
const maxPage = 4000

func picturePage(r *request) (string, finish, error) {
	kinds := []string{Boxes, Hero, Answer, Walk}
	s := Scene{
		View: r.View, About: "the tree", Kind: kinds[r.oneOf("kind", kinds...)],
		Width: r.integer("width", 960, MinWidth, maxPage), stop: r.stopped,
	}
	format := r.oneOf("format", "svg", "png")
	if z, ok := r.number("z"); ok {
		s.Slice = &z
	}
	if n := r.Len(); n > MaxObjects {
		return "", nil, tooLarge(fmt.Sprintf("a picture of %d objects, want at most %d: take the profile or the icicle", n, MaxObjects))
	}
	var err error
	if s.Query, err = r.query(r.View); err != nil {
		return "", nil, err
	}
	if err := r.done(); err != nil {
		return "", nil, err
	}
	return r.drawn(s, format)
}

// drawn returns a picture in format 0, SVG, or 1, PNG. The SVG is all that it takes from the tree.
func (r *request) drawn(d Drawing, format int) (string, finish, error) {
	var svg bytes.Buffer
	if err := d.SVG(&svg); err != nil {
		return "", nil, err
	}
	if format == 0 {
		return "image/svg+xml", func(w io.Writer) error { _, err := svg.WriteTo(w); return err }, nil
	}
	return "image/png", func(w io.Writer) error { return pngOf(w, &svg, limits{maxPixels, r.Err}, png.BestSpeed) }, nil
}
