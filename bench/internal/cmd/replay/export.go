package replay

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Export is bench replay export.
var Export = command.Command{
	Name:  "replay export",
	Short: "write objects and queries to flat files for replay",
	Long: `
Writes the boxes of a scene, or of a file of another program, and
queries on them, and prints the command that replays them all:

  scene.bin           the objects
  frusta-P.bin        cameras with about P = 1, 10 and 50 % of them in view
  boxes-R.bin         cubes about points of random objects, R = 8, 450 and 25000
                      results in the mean
  spheres-550.bin     spheres, likewise
  rays.bin            half of them start near an object
  points.bin          half of them are near an object
  moves.bin           steps in which 95 % of the moves drift by up to a quarter
                      of the object's size and 5 % jump anywhere in the scene
  moveall.bin         a box for each object, near its own

With -instances P it writes a scene of instances instead, of -n objects in all, and no moves;
-scene and -in do not count:

  part-00.bin ...     the objects of 20 parts
  instances.bin       P instances: the number of a part and its matrix`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var x export
		x.source.Declare(flags)
		flags.StringVar(&x.folder, "o", "", "write into folder `DIR` (required)")
		count.Objects(flags, &x.instances, "instances", 0, 0, "write -n objects as a `number` of instances of parts")
		count.Var(flags, &x.cameras, "cameras", 200, 1, "`number` of cameras of each share")
		count.Var(flags, &x.queries, "queries", 10_000, 1, "`number` of rays, of points, and of boxes and spheres of each size")
		count.Var(flags, &x.steps, "steps", 100, 1, "`number` of steps of moves")
		count.Var(flags, &x.moves, "moves", 1000, 1, "`number` of moves of a step")
		return x.run
	},
}

// export is one run of the command.
type export struct {
	source                         command.Source
	folder                         string
	cameras, queries, steps, moves int
	instances                      int

	p       *command.Progress
	objects []soa.Object
	words   []string // replay command for the files
}

// Mean numbers of results of exported boxes and spheres.
var (
	exportBoxes   = []int{8, 450, 25_000}
	exportSpheres = []int{550}
)

func (x *export) run(e *command.Env) error {
	if x.folder == "" {
		return command.Usagef("no -o: want a folder to write into")
	}
	if x.source.N < x.instances {
		return command.Usagef("-n %d, -instances %d: want no more instances than objects", x.source.N, x.instances)
	}
	x.p = &command.Progress{Out: e.Errs}
	parts := []func(){x.writeScene, x.writeFrusta, x.writeVolumes, x.writeLines, x.writeMoves}
	if x.instances > 0 {
		parts = []func(){x.writeInstances, x.writeFrusta, x.writeVolumes, x.writeLines}
	} else {
		_, x.objects = x.source.Load(x.p)
	}
	must.Do(os.MkdirAll(x.folder, 0o777))
	x.words = []string{"go run ./bench replay"}
	for _, part := range parts {
		part()
	}
	fmt.Fprintln(e.Out, strings.Join(x.words, " "))
	return nil
}

func (x *export) writeScene() {
	put(x, "scene", "scene.bin", flat.WriteScene, func() []soa.AABB { return lab.NewMotion(x.objects, 0).Boxes })
}

// writeInstances writes the parts and instances of a scene, and sets the objects to the boxes around all
// instanced objects, for which the queries are made.
func (x *export) writeInstances() {
	parts, where := lab.InstancedParts(x.instances, x.source.N, x.source.Seed)
	instances := make([]flat.Instance, len(where))
	for i := range where {
		instances[i].Part = uint32(where[i].Part)
		for k, v := range where[i].Rows {
			instances[i].Rows[k] = float32(v)
		}
		transform := must.Get(linear.NewTransform(where[i].Rows))
		for _, o := range parts[where[i].Part] {
			o.Box = transform.Box(o.Box)
			x.objects = append(x.objects, o)
		}
	}
	for i, part := range parts {
		put(x, "part", fmt.Sprintf("part-%02d.bin", i), flat.WriteScene, func() []soa.AABB { return lab.NewMotion(part, 0).Boxes })
	}
	put(x, "instances", "instances.bin", flat.WriteInstances, func() []flat.Instance { return instances })
}

func (x *export) writeFrusta() {
	for _, percent := range []int{1, 10, 50} {
		put(x, "frusta", fmt.Sprintf("frusta-%d.bin", percent), flat.WriteFrusta, func() (planes [][6][4]float32) {
			for _, c := range scene.Cameras(x.objects, float64(percent)/100, x.cameras, x.source.Seed) {
				planes = append(planes, c.Planes())
			}
			return planes
		})
	}
}

func (x *export) writeVolumes() {
	for _, results := range exportBoxes {
		put(x, "boxes", fmt.Sprintf("boxes-%d.bin", results), flat.WriteBoxes, func() []soa.AABB {
			return scene.BoxQueries(x.objects, results, x.queries, x.source.Seed)
		})
	}
	for _, results := range exportSpheres {
		put(x, "spheres", fmt.Sprintf("spheres-%d.bin", results), flat.WriteSpheres, func() (list [][4]float32) {
			return lab.Quads(scene.SphereQueries(x.objects, results, x.queries, x.source.Seed))
		})
	}
}

func (x *export) writeLines() {
	put(x, "rays", "rays.bin", flat.WriteRays, func() (list [][7]float32) {
		for _, r := range scene.RayQueries(x.objects, x.queries, x.source.Seed) {
			o, d := r.Origin, r.Dir
			list = append(list, [7]float32{o[0], o[1], o[2], d[0], d[1], d[2], r.MaxT})
		}
		return list
	})
	put(x, "points", "points.bin", flat.WritePoints, func() [][3]float32 {
		return scene.PointQueries(x.objects, x.queries, x.source.Seed)
	})
}

func (x *export) writeMoves() {
	put(x, "moves", "moves.bin", flat.WriteMoves, func() (steps [][]flat.Move) {
		m := lab.NewMotion(x.objects, x.source.Seed)
		for range x.steps {
			ids, boxes := m.Step(nil, nil, x.moves)
			step := make([]flat.Move, len(ids))
			for i := range ids {
				step[i] = flat.Move{ID: ids[i], Box: boxes[i]}
			}
			steps = append(steps, step)
		}
		return steps
	})
	put(x, "moveall", "moveall.bin", flat.WriteBoxes, func() []soa.AABB {
		return lab.NewMotion(x.objects, x.source.Seed).All()
	})
}

// put makes a list, writes it to a file of the folder and adds the file to the replay command.
func put[T any](x *export, flag, name string, write func(w io.Writer, list T) error, make func() T) {
	x.p.Begin("making %s", name)
	list := make()
	x.p.End()
	path := filepath.Join(x.folder, name)
	x.words = append(x.words, "-"+flag, path)
	must.Do(flat.Save(path, list, write))
}
