package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/internal/scene"
)

// kind is a kind of query files, and the flag that names one.
type kind struct {
	flag  string
	usage string
	load  func(path string) ([]workload, error)
}

// workload is a way to answer the queries of a file.
type workload struct {
	name string
	batch
}

// kinds are all that replay understands.
var kinds = []kind{
	{"frusta", "cull with the frusta of `FILE` (frustum); this and the next may be repeated", loadFrusta},
	{"boxes", "ask with the boxes of `FILE` (box)", loadBoxes},
	{"spheres", "ask with the spheres of `FILE` (sphere)", loadSpheres},
	{"rays", "cast the rays of `FILE` for all hits (ray) and for the nearest (ray_first)", loadRays},
	{"points", "look for the nearest 1 and 8 objects of each point of `FILE` (knn1, knn8)", loadPoints},
}

func loadFrusta(path string) ([]workload, error) {
	planes, err := flat.Load(path, flat.ReadFrusta)
	if err != nil {
		return nil, err
	}
	b, err := newFrusta(planes)
	return loaded(path, err, workload{"frustum", b})
}

func loadBoxes(path string) ([]workload, error) {
	boxes, err := flat.Load(path, flat.ReadBoxes)
	if err != nil {
		return nil, err
	}
	b, err := newBoxes(boxes)
	return loaded(path, err, workload{"box", b})
}

func loadSpheres(path string) ([]workload, error) {
	spheres, err := flat.Load(path, flat.ReadSpheres)
	if err != nil {
		return nil, err
	}
	b, err := newSpheres(spheres)
	return loaded(path, err, workload{"sphere", b})
}

func loadRays(path string) ([]workload, error) {
	list, err := flat.Load(path, flat.ReadRays)
	if err != nil {
		return nil, err
	}
	rays := make([]scene.Ray, len(list))
	for i, r := range list {
		rays[i] = scene.Ray{Origin: [3]float32(r[:3]), Dir: [3]float32(r[3:6]), MaxT: r[6]}
	}
	all, err := newRays(rays, false)
	if err != nil {
		return loaded(path, err)
	}
	first, err := newRays(rays, true)
	return loaded(path, err, workload{"ray", all}, workload{"ray_first", first})
}

func loadPoints(path string) ([]workload, error) {
	points, err := flat.Load(path, flat.ReadPoints)
	if err != nil {
		return nil, err
	}
	return loaded(path, nil, workload{"knn1", newPoints(points, 1)}, workload{"knn8", newPoints(points, 8)})
}

// loaded adds the file to an error of its queries.
func loaded(path string, err error, w ...workload) ([]workload, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}
