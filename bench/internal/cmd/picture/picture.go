// Package picture implements the command bench picture, which draws a tree and a query.
package picture

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// Command is bench picture.
var Command = command.Command{
	Name:  "picture",
	Short: "draw a tree, a scene of trees, a query, the curve or the occupancy as SVG or PNG",
	Long: `
Draws a map of a scene and its tree:

  overview    the tight boxes by depth, a query, its hits and misses, and the
              subtrees that the query contains fully
  boxes       the tight boxes by depth
  cells       the cells of the octree by level
  result      a query, its hits and misses
  walk        the nodes and objects that a query rejects, enters, tests, returns and filters out
  curve       the Morton curve through the packets
  occupancy   objects a packet, and objects by depth: bars, no map
  scene       instancing: small scenes of that kind, each a tree of its own, in 20 instances,
              rotated, scaled and mirrored, and culled by a camera
  occlusion   occlusion culling: houses, seen from behind and above a camera in the streets, with
              every object an occluder, and the depth buffer; occluded objects are magenta, as are
              nodes and packets that were culled at once. With -scene partition, figure 4 of Shagam
              and Pfeiffer (2003): spheres behind a partition, cut through its middle, from the
              side. -depth writes the depth buffer to a file, too
  animation   a small tree that splits packets and cells, grows its world and merges again,
              while objects are inserted, inside and outside the world, and removed. The SVG is
              animated without a script; of the other flags -seed, -width and -o count

Without -slice all boxes are first projected to the ground and the tree is built
of them: no box covers another, and the octree is a quadtree. With -slice the
tree is that of the scene, and the map shows a section at that height. The kind scene is
projected and queried with a frustum; each instance holds all objects of a file.

Maps of up to some thousand objects are clear. Besides the scenes of the other
commands there is town, houses along streets and a river, made for
pictures.

The picture is written to standard output or to -o, as SVG, or as PNG if that name ends
in .png: of an animation, one step. Equal flags make equal bytes.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var d drawer
		d.source.Declare(flags)
		preset(flags, "scene", townName)
		preset(flags, "n", "1400")
		flags.StringVar(&d.kind, "kind", show.Overview.String(), "draw `KIND`: "+strings.Join(kinds, ", "))
		flags.StringVar(&d.query, "query", "frustum", "query with `VOLUME`: "+strings.Join(pictureQueries, ", "))
		flags.Func("slice", "cut the scene at height `Z` (default: all is projected to the ground)", func(text string) error {
			z, err := strconv.ParseFloat(text, 32)
			if d.slice = &z; err == nil && math.IsNaN(z) {
				err = errors.New("not a height")
			}
			return err
		})
		count.Range(flags, &d.width, "width", 960, show.MinWidth, show.MaxWidth, "width in `pixels`")
		flags.StringVar(&d.depth, "depth", "", "of kind occlusion, write the depth buffer as PNG to `FILE`")
		flags.StringVar(&d.out, "o", "", "write to `FILE` instead of standard output: PNG if it ends in .png, else SVG")
		return d.run
	},
}

// preset changes the default of a flag.
func preset(flags *flag.FlagSet, name, value string) {
	f := flags.Lookup(name)
	if err := f.Value.Set(value); err != nil {
		panic(fmt.Sprintf("bench: flag %s: %v", name, err))
	}
	f.DefValue = f.Value.String()
}

// kinds are the kinds of pictures: those of package show first.
var kinds = []string{
	show.Overview.String(), show.Boxes.String(), show.Cells.String(), show.Result.String(), show.Walk.String(), show.Curve.String(), show.Occupancy.String(),
	sceneKind, occlusionKind, animationKind,
}

// pictureQueries are the kinds of queries in a picture.
var pictureQueries = []string{"frustum", "box", "sphere", "ray"}

// drawer is one run of the command.
type drawer struct {
	source           command.Source
	kind, query, out string
	depth            string
	slice            *float64
	width            int
}

func (d *drawer) run(e *command.Env) error {
	switch {
	case !slices.Contains(kinds, d.kind):
		return command.Usagef("-kind %q: want one of %s", d.kind, strings.Join(kinds, ", "))
	case !slices.Contains(pictureQueries, d.query):
		return command.Usagef("-query %q: want one of %s", d.query, strings.Join(pictureQueries, ", "))
	case d.kind == sceneKind && (d.slice != nil || d.query != "frustum"):
		return command.Usagef("-kind %s is projected to the ground and queried with a frustum: leave out -slice and -query", sceneKind)
	case d.kind == occlusionKind && d.query != "frustum":
		return command.Usagef("-kind %s is queried with a camera: leave out -query", occlusionKind)
	case d.kind != occlusionKind && (d.depth != "" || d.source.Scene == partitionName):
		return command.Usagef("-depth and the scene %s are of -kind %s", partitionName, occlusionKind)
	}
	switch d.kind {
	case sceneKind:
		d.scene(e)
	case occlusionKind:
		d.occlusion(e)
	case animationKind:
		d.animation(e)
	default:
		d.drawMap(e)
	}
	return nil
}

// drawMap draws a map of a scene and its tree, as package show does.
func (d *drawer) drawMap(e *command.Env) {
	about, objects := d.load(e)
	if d.slice == nil {
		objects = flatten(objects)
		about += ", projected to the ground"
	}
	tree := must.Get(lab.Build(objects, 1, nil))
	must.Do(tree.Rebuild(nil, linear.RebuildOptions{Cut: linear.CutSpace}))
	s := show.Scene{View: tree.View(), Tree: tree, About: about, Slice: d.slice, Width: d.width}
	must.Do(s.Kind.UnmarshalText([]byte(d.kind)))
	s.Trace = d.trace(tree.View(), show.DensestRegion(tree.View()))
	d.write(e, s)
}

// write writes a picture in the format of -o.
func (d *drawer) write(e *command.Env, picture show.Drawing) {
	var b bytes.Buffer
	if strings.EqualFold(filepath.Ext(d.out), ".png") {
		must.Do(show.PNG(&b, picture))
	} else {
		must.Do(picture.SVG(&b))
	}
	if d.out == "" {
		must.Get(e.Out.Write(b.Bytes()))
		return
	}
	must.Do(os.WriteFile(d.out, b.Bytes(), 0o666))
}

// flatten returns the objects projected to the ground.
func flatten(objects []soa.Object) []soa.Object {
	objects = slices.Clone(objects)
	for i := range objects {
		objects[i].Box.Min[2], objects[i].Box.Max[2] = 0, 0
	}
	return objects
}

// load returns the objects of a scene, a file or the town.
func (d *drawer) load(e *command.Env) (about string, objects []soa.Object) {
	s := &d.source
	if s.File != "" || s.Scene != townName {
		about, objects := s.Load(&command.Progress{Out: e.Errs})
		return about, objects
	}
	if s.N < 1 || s.N > maxTown {
		must.Do(command.Usagef("-n %d: want 1 to %d houses of a town", s.N, maxTown))
	}
	return fmt.Sprintf("%s, %d objects, seed %d", townName, s.N, s.Seed), town(s.N, s.Seed)
}

// trace runs a query with a volume in the middle of the scene, at the height of the slice.
func (d *drawer) trace(v linear.View, all soa.AABB) *show.Trace {
	z := 0.0
	if d.slice != nil {
		z = *d.slice
	}
	at := func(x, y float64) [3]float64 {
		return [3]float64{
			float64(all.Min[0]) + float64(x*(float64(all.Max[0])-float64(all.Min[0]))),
			float64(all.Min[1]) + float64(y*(float64(all.Max[1])-float64(all.Min[1]))), z,
		}
	}
	size := min(float64(all.Max[0])-float64(all.Min[0]), float64(all.Max[1])-float64(all.Min[1]))
	switch d.query {
	case "box":
		lo, hi := single(at(0.3, 0.35)), single(at(0.7, 0.65))
		lo[2], hi[2] = float32(z-size/10), float32(z+size/10)
		q := must.Get(query.NewBox(lo, hi))
		return must.Get(show.TraceQuery(q, v, query.Filter{}))
	case "sphere":
		q := must.Get(query.NewSphere(single(at(0.5, 0.5)), float32(size*0.3)))
		return must.Get(show.TraceQuery(q, v, query.Filter{}))
	case "ray":
		q := must.Get(query.NewRay(single(at(0.06, 0.2)), [3]float32{0.8, 0.6, 0}, float32(size*1.1)))
		return must.Get(show.TraceQuery(q, v, query.Filter{}))
	}
	c := towards(at(0.1, 0.2), size)
	q := must.Get(query.FrustumPlanes(c.Planes()))
	trace := must.Get(show.TraceQuery(q, v, query.Filter{}))
	trace.Origin = &c.Eye
	return trace
}

// towards returns a camera for a scene of that size.
func towards(eye [3]float64, size float64) scene.Camera {
	c := scene.NewCamera(eye, [3]float64{0.8, 0.6, 0}, size/100, size*0.8)
	c.TanX = 0.5
	return c
}

func single(p [3]float64) [3]float32 { return [3]float32{float32(p[0]), float32(p[1]), float32(p[2])} }
