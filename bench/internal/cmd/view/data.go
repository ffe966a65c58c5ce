package view

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// envData names the folder of files if -data does not.
const envData = "ZOCTREE_DATA"

// dataFile is a file that the page offers as a scene.
type dataFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// dataSets is the files of a folder. The zero value has none.
type dataSets struct {
	dir   string
	files []dataFile
}

// dataOf reads the names in a folder, in their order. Without a folder it reads the one named by the environment,
// which may be missing.
func dataOf(dir string) (d dataSets, err error) {
	d.dir = dir
	if dir == "" {
		d.dir = os.Getenv(envData)
	}
	if d.dir == "" {
		return d, nil
	}
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		if dir == "" && os.IsNotExist(err) {
			return dataSets{}, nil
		}
		return d, fmt.Errorf("-data: %w", err)
	}
	for _, entry := range entries {
		info, err := os.Stat(filepath.Join(d.dir, entry.Name()))
		if err == nil && info.Mode().IsRegular() && isData(entry.Name()) {
			d.files = append(d.files, dataFile{entry.Name(), info.Size()})
		}
	}
	if len(d.files) == 0 && dir != "" {
		return d, fmt.Errorf("-data: no PLY, PCD, OBJ, CSV, XYZ, PTS or LAS file and no snapshot in %s", dir)
	}
	return d, nil
}

// isData reports whether a name ends like that of a file that the page reads, which may be compressed.
func isData(name string) bool {
	end := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	return !strings.HasPrefix(name, ".") && slices.Contains([]string{".ply", ".pcd", ".obj", ".csv", ".xyz", ".pts", ".las", ".zoctree"}, end)
}

// offer adds the files to those of the page.
func (d dataSets) offer(files folder) http.Handler {
	if len(d.files) == 0 {
		return files
	}
	files[dataList] = must.Get(json.Marshal(d.files))
	mux := http.NewServeMux()
	mux.Handle("/", files)
	mux.HandleFunc("GET /data/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !slices.ContainsFunc(d.files, func(f dataFile) bool { return f.Name == name }) {
			http.NotFound(w, r)
			return
		}
		headers(w, "application/octet-stream")
		http.ServeFile(w, r, filepath.Join(d.dir, name))
	})
	return mux
}
