package lab

import (
	"flag"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/internal/scene"
)

// FileKind is a kind of query files.
type FileKind struct {
	Flag  string // name of the flag for such a file
	Usage string
	Load  func(path string) ([]Workload, error)
}

// Workload is one form of the queries of a file.
type Workload struct {
	Name string
	Batch
}

// fileKinds are all kinds of query files.
var fileKinds = []FileKind{
	{"frusta", "cull with the frusta of `FILE` (frustum); this and the next may be repeated", loadFrusta},
	{"boxes", "query with the boxes of `FILE` (box)", loadBoxes},
	{"spheres", "query with the spheres of `FILE` (sphere)", loadSpheres},
	{"rays", "cast the rays of `FILE` for all hits (ray), for the nearest (ray_first) and for the IDs of all (ray_ids)", loadRays},
	{"points", "find the nearest 1 and 8 objects of each point of `FILE` (knn1, knn8)", loadPoints},
}

func loadFrusta(path string) ([]Workload, error) {
	return loadVolumes(path, "frustum", flat.ReadFrusta, NewFrusta)
}

func loadBoxes(path string) ([]Workload, error) {
	return loadVolumes(path, "box", flat.ReadBoxes, NewBoxes)
}

func loadSpheres(path string) ([]Workload, error) {
	return loadVolumes(path, "sphere", flat.ReadSpheres, NewSpheres)
}

func loadVolumes[G any](path, name string, read func(r io.Reader, name string) ([]G, error), make func([]G) (Batch, error)) ([]Workload, error) {
	given, err := flat.Load(path, read)
	if err != nil {
		return nil, err
	}
	b, err := make(given)
	return loaded(path, err, Workload{name, b})
}

func loadRays(path string) ([]Workload, error) {
	list, err := flat.Load(path, flat.ReadRays)
	if err != nil {
		return nil, err
	}
	rays := make([]scene.Ray, len(list))
	for i, r := range list {
		rays[i] = scene.Ray{Origin: [3]float32(r[:3]), Dir: [3]float32(r[3:6]), MaxT: r[6]}
	}
	var workloads []Workload
	for form, name := range []string{RayHits: "ray", RayFirst: "ray_first", RayIDs: "ray_ids"} {
		b, err := NewRays(rays, RayForm(form))
		if err != nil {
			return loaded(path, err)
		}
		workloads = append(workloads, Workload{name, b})
	}
	return workloads, nil
}

func loadPoints(path string) ([]Workload, error) {
	points, err := flat.Load(path, flat.ReadPoints)
	if err != nil {
		return nil, err
	}
	return loaded(path, nil, Workload{"knn1", NewPoints(points, 1)}, Workload{"knn8", NewPoints(points, 8)})
}

// loaded adds the file's name to an error in its queries.
func loaded(path string, err error, w ...Workload) ([]Workload, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// QueryFile is a file of queries.
type QueryFile struct {
	Kind FileKind
	Path string
}

// DeclareQueryFiles declares a flag for each kind. Each use of a flag adds a file.
func DeclareQueryFiles(flags *flag.FlagSet, files *[]QueryFile) {
	for _, k := range fileKinds {
		flags.Func(k.Flag, k.Usage, func(path string) error {
			*files = append(*files, QueryFile{k, path})
			return nil
		})
	}
}
