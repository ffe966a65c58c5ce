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
	"strings"
	"sync/atomic"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// MaxObjects is the largest number of objects of which a [Handler] draws pictures.
const MaxObjects = 1_000_000

// The other limits of a request.
const (
	maxPackets = 150_000   // for a profile or icicle, in packets of the tree, free ones included
	maxPixels  = 3_000_000 // for an image in PNG
	maxWaiting = 16        // requests in the waiting queue
)

// Handler returns an HTTP handler with debug pages of a live tree, to be mounted next to
// /debug/pprof:
//
//	mux.Handle("/debug/octree/", http.StripPrefix("/debug/octree", show.Handler(acquire)))
//
//	/          statistics, and links to the others
//	/profile   the tree as a profile: go tool pprof http://HOST/debug/octree/profile
//	/icicle    the profile as an icicle graph; value=objects|packets|nodes|bytes|visits, rows=1…40
//	/picture   a map; kind=boxes, or overview, result, walk with a query; z=HEIGHT cuts it
//
// A query is one of these parameters, numbers with commas; on profile and icicle it adds visits:
//
//	box=x0,y0,z0,x1,y1,z1   sphere=x,y,z,r   nearest=x,y,z,k
//	ray=x,y,z,dx,dy,dz,length, whose direction need not have length 1
//	planes=24 numbers, the planes of a frustum
//
// with the optional parameters mask=N, the type mask of the filter, and exact=true. Pictures take
// width=640…4000 and format=svg or png. The status is 400, with the reason, for a parameter that
// is unknown, given twice or out of range, and 405 for a method other than GET and HEAD.
//
// The work of a request is bounded: it takes at most about a second of one CPU, and allocates less
// than 64 MB. Larger requests have the status 413, with the limit: a picture of more than
// [MaxObjects], a profile or an icicle of more than 150,000 packets, free ones included, or an image
// in PNG of more than three million pixels. One request is served at a time. Up to 16 others wait in a queue,
// and for more the status is 503 with Retry-After. A request ends early if its context is
// cancelled.
//
// acquire is called for each request, one call at a time. It returns a view and its release
// function. The view must stay valid until release is called, after the tree has been read and
// before an image is drawn and the page is sent. With a [linear.Publisher] acquire is
//
//	func() (linear.View, func()) { h := p.Acquire(); return h.View(), h.Release }
//
// and with a tree under a lock, whose writer is blocked until the tree has been read,
//
//	func() (linear.View, func()) { mu.RLock(); return tree.View(), mu.RUnlock }
//
// Pages show the contents of the tree: serve them on the loopback address or behind a login.
// Nothing is registered in net/http.
func Handler(acquire func() (v linear.View, release func())) http.Handler {
	return &handler{acquire: acquire, turn: make(chan struct{}, 1)}
}

type handler struct {
	acquire func() (linear.View, func())
	turn    chan struct{} // semaphore: holds a value while a request is served
	waiting atomic.Int32  // number of requests that wait or are served
}

// request is the input of a page: the view, the parameters and the context of the client.
type request struct {
	context.Context
	linear.View
	*params
}

// stopped reports whether the request is cancelled.
func (r *request) stopped() bool { return r.Err() != nil }

// finish writes the content of a page from data read of the tree, which has been released by
// then.
type finish func(w io.Writer) error

// pages maps a path to the function that reads its data from the tree.
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
		w.Write(b.Bytes()) // errors are connection errors, which net/http handles
	case r.Context().Err() != nil: // the client has disconnected, or an enclosing handler has set a deadline
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

// errBusy is the error of a request that is rejected without any work.
var errBusy = fault.Errorf("show: %d requests are waiting, want at most %d", maxWaiting, maxWaiting)

// make builds a page when it is the request's turn.
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
	v, release := h.acquire()
	defer release()
	r.View = v
	return page(r)
}

// stopping is a writer that fails once the request is cancelled.
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

// tooLarge is the error of a page beyond a limit.
type tooLarge string

func (e tooLarge) Error() string { return "show: " + string(e) }

var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>octree</title></head>
<body style="font-family: sans-serif; margin: 2em"><h1>The octree</h1>
<pre>{{.Stats}}</pre>
<ul>
<li><a href="picture">picture</a> of its boxes{{if .Example}}; <a href="picture?kind=walk&amp;{{.Example}}">walk</a> of a query{{end}}</li>
<li><a href="icicle">icicle</a>{{if .Example}}; <a href="icicle?{{.Example}}">with visits</a>{{end}}</li>
<li><a href="profile">profile</a> for go tool pprof</li>
</ul></body></html>
`))

func statistics(r *request) (string, finish, error) {
	if err := r.done(); err != nil {
		return "", nil, err
	}
	page := struct {
		Stats   string
		Example template.URL // numbers and commas
	}{Stats: r.Stats().String()}
	if r.Len() > 0 {
		// A ball in the middle, with a radius of a quarter of the width. A + would be a blank in a query.
		all := r.Bounds()
		c := all.Center()
		size := max(float64(all.Max[0])-float64(all.Min[0]), float64(all.Max[1])-float64(all.Min[1]))
		text := fmt.Sprintf("sphere=%g,%g,%g,%g", c[0], c[1], c[2], float32(size/4))
		page.Example = template.URL(strings.ReplaceAll(text, "+", ""))
	}
	return "text/html; charset=utf-8", func(w io.Writer) error { return indexPage.Execute(w, page) }, nil
}

// profile returns the profile of the tree, with the visits of the query of the parameters.
func (r *request) profile() (*profile.Profile, error) {
	if n := r.Slots(); n > maxPackets {
		return nil, tooLarge(fmt.Sprintf("a profile of %d packets, want at most %d", n, maxPackets))
	}
	t, err := r.trace(r.View, true)
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
	if t != nil {
		heat = t.Heat
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

// maxPage is the largest width of a picture of a request.
const maxPage = 4000

func picturePage(r *request) (string, finish, error) {
	kinds := []Kind{Boxes, Overview, Result, Walk}
	s := Scene{
		View: r.View, About: "the tree", Kind: kinds[r.oneOf("kind", names(kinds)...)],
		Width: r.integer("width", 960, MinWidth, maxPage), stop: r.stopped,
	}
	format := r.oneOf("format", "svg", "png")
	if z, ok := r.number("z"); ok {
		s.Slice = &z
	}
	if n := r.Len(); n > MaxObjects {
		return "", nil, tooLarge(fmt.Sprintf("a picture of %d objects, want at most %d: use the profile or the icicle", n, MaxObjects))
	}
	var err error
	if s.Trace, err = r.trace(r.View, false); err != nil {
		return "", nil, err
	}
	if err := r.done(); err != nil {
		return "", nil, err
	}
	return r.drawn(s, format)
}

// names returns the names of kinds.
func names(kinds []Kind) (list []string) {
	for _, k := range kinds {
		list = append(list, k.String())
	}
	return list
}

// drawn returns a picture in format 0, SVG, or 1, PNG. Only the SVG is made while the tree is
// held.
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
