package view

import (
	"bytes"
	"context"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// built is the page, as built by page/build.mjs from page/src, and three.js with its licence.
//
//go:embed page/dist
var built embed.FS

// dataList is the name of the list of the files of -data: empty for a page without them.
const dataList = "data.json"

// folder is the files of the page by name.
type folder map[string][]byte

// site returns the page with the library.
func site(ctx context.Context, errs io.Writer) folder {
	files := folder{dataList: []byte("[]")}
	must.Do(fs.WalkDir(built, "page/dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path.Base(name)], err = built.ReadFile(name)
		return err
	}))
	addLibrary(ctx, files, errs)
	return files
}

// write writes the files to a folder of the disk.
func (f folder) write(dir string) {
	must.Do(os.MkdirAll(dir, 0o777))
	for name, data := range f {
		must.Do(os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
}

// policy restricts the page to its own server. The other two headers enable finer clocks.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'"

// kinds are the content types of the files; the page itself decompresses the library.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".gz": "application/octet-stream", ".svg": "image/svg+xml",
	".json": "application/json",
}

func (f folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(path.Clean("/" + r.URL.Path))
	if r.URL.Path == "/" {
		name = "index.html"
	}
	data, ok := f[name]
	if !ok || r.URL.Path != "/" && r.URL.Path != "/"+name {
		http.NotFound(w, r)
		return
	}
	headers(w, kinds[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

func headers(w http.ResponseWriter, kind string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
}
