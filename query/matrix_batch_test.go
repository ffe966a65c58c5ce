package query_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// matrixBatches are the batches of queries, each with the kinds of its queries, none for points.
type matrixBatches struct {
	frusta  query.FrustumBatch
	boxes   query.BoxBatch
	spheres query.SphereBatch
	rays    query.RayBatch
	nearest query.NearestBatch
	pairs   collide.Batch
}

// askedAlone is a query with the result of its oracle.
type askedAlone struct {
	matrixAsk
	plain, exact *matrixTruth
}

func (q *askedAlone) truth(flt *matrixFilter) *matrixTruth {
	if flt.Exact {
		return q.exact
	}
	return q.plain
}

func queriesOf[T any](asks []askedAlone) (list []T) {
	for i := range asks {
		list = append(list, asks[i].query.(T))
	}
	return list
}

// judgeBatches runs as batches the queries that were run one by one.
func (j *matrixJudge) judgeBatches(b *matrixBatches, asks map[string][]askedAlone, near *nearAsk, rng *rand.Rand) error {
	frusta := append(slices.Clone(asks["Frustum"]), asks["Precise"]...)
	for len(frusta) < query.MaxViewers && rng.IntN(4) > 0 {
		frusta = append(frusta, frusta[rng.IntN(len(frusta))])
	}
	b.rays.Workers, b.nearest.Workers = 1+rng.IntN(3), 1+rng.IntN(3)
	b.frusta.Workers = 1 + rng.IntN(3)
	b.boxes.Workers, b.spheres.Workers = 1+rng.IntN(3), 1+rng.IntN(3)
	points := [][3]float32{near.point, {}, near.point}
	for _, batch := range []any{&b.frusta, &b.boxes, &b.spheres, &b.rays, &b.nearest} {
		v := reflect.ValueOf(batch)
		kind := v.Elem().Type().Name()
		for i := range v.NumMethod() {
			name, asked := v.Type().Method(i).Name, 0
			var err error
			switch f := v.Method(i).Interface().(type) {
			case func(context.Context, linear.View, []query.Frustum, query.Filter) error:
				asked = len(frusta)
				if err = f(nil, j.v, queriesOf[query.Frustum](frusta), j.flt.Filter); err == nil {
					err = j.eachIDs(frusta, b.frusta.Of)
				}
			case func(context.Context, linear.View, []query.Box, query.Filter) error:
				asked = len(asks["Box"])
				if err = f(nil, j.v, queriesOf[query.Box](asks["Box"]), j.flt.Filter); err == nil {
					err = j.eachIDs(asks["Box"], b.boxes.Of)
				}
			case func(context.Context, linear.View, []query.Sphere, query.Filter) error:
				asked = len(asks["Sphere"])
				if err = f(nil, j.v, queriesOf[query.Sphere](asks["Sphere"]), j.flt.Filter); err == nil {
					err = j.eachIDs(asks["Sphere"], b.spheres.Of)
				}
			case func(context.Context, linear.View, []query.Ray, query.Filter) error:
				asked = len(asks["Ray"])
				if err = f(nil, j.v, queriesOf[query.Ray](asks["Ray"]), j.flt.Filter); err == nil {
					err = j.eachRay(asks["Ray"], &b.rays, name == "Find")
				}
			case func(context.Context, linear.View, [][3]float32, int, float32, query.Filter) error:
				asked = len(points)
				if err = f(nil, j.v, points, near.k, near.reach, j.flt.Filter); err == nil {
					err = j.eachPoint(near, &b.nearest)
				}
			case func(int) []uint32, func(int) []query.Hit, func(int) []query.Neighbor, func() ([]uint32, []uint64):
				asked = 1 // how the results are read
			default:
				err = fmt.Errorf("a form of type %T is not judged", f)
			}
			if err != nil {
				return fmt.Errorf("%s.%s: %w", kind, name, err)
			}
			for range asked {
				j.x.form(kind, name, len(j.c.ids))
			}
			if name != "Of" && name != "Viewers" {
				j.x.question(kind, j.flt.name, asked, len(j.c.ids))
			}
		}
	}
	return nil
}

// eachIDs judges each result of a batch as that of a single query, which it must equal.
func (j *matrixJudge) eachIDs(asks []askedAlone, of func(int) []uint32) error {
	for i := range asks {
		got := of(i)
		err := j.appendIDs(func(dst []uint32, _ linear.View, _ query.Filter) []uint32 { return append(dst, got...) }, asks[i].truth(&j.flt))
		if err != nil {
			return fmt.Errorf("%s: %w", asks[i].show, err)
		}
		if alone := asks[i].query.(volume).Append(nil, j.v, j.flt.Filter); !slices.Equal(got, alone) {
			return fmt.Errorf("%s: another order than alone", asks[i].show)
		}
	}
	return nil
}

func (j *matrixJudge) eachRay(asks []askedAlone, b *query.RayBatch, nearest bool) error {
	for i := range asks {
		alone := addressed(asks[i].query).Interface().(sweepForms).Append(nil, j.v, j.flt.Filter)
		if nearest {
			alone = alone[:min(len(alone), 1)]
		} else if err := j.appendHits(func(dst []query.Hit, _ linear.View, _ query.Filter) []query.Hit {
			return append(dst, b.Of(i)...)
		}, asks[i].truth(&j.flt)); err != nil {
			return fmt.Errorf("%s: %w", asks[i].show, err)
		}
		if !slices.Equal(b.Of(i), alone) {
			return fmt.Errorf("%s: %d hits, alone %d", asks[i].show, len(b.Of(i)), len(alone))
		}
	}
	return nil
}

func (j *matrixJudge) eachPoint(near *nearAsk, b *query.NearestBatch) error {
	all, n := near.want(j.c, &j.flt)
	for i := range 3 {
		if i == 1 {
			continue // another point, which keeps the two apart
		}
		if err := sameNeighbors(b.Of(i), all[:n]); err != nil {
			return fmt.Errorf("%s: %w", near.show(), err)
		}
	}
	return nil
}

// judgeRefusals passes an invalid filter, which every form must reject: by its error, or else by a panic.
func (j *matrixJudge) judgeRefusals(b *matrixBatches, asks map[string][]askedAlone) error {
	flt := query.Filter{Motion: query.StaticOnly + 1}
	var takes []string
	call := func(name string, f reflect.Value) {
		if j.takes(f, flt) {
			takes = append(takes, name)
		}
	}
	methods := func(kind string, v reflect.Value) {
		for i := range v.NumMethod() {
			call(kind+"."+v.Type().Method(i).Name, v.Method(i))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(asks)) {
		methods(kind, addressed(asks[kind][0].query))
	}
	for _, batch := range []any{&b.frusta, &b.boxes, &b.spheres, &b.rays, &b.nearest, new(query.Nearby)} {
		methods(reflect.TypeOf(batch).Elem().Name(), reflect.ValueOf(batch))
	}
	for _, name := range slices.Sorted(maps.Keys(nearFuncs)) {
		call(name, reflect.ValueOf(nearFuncs[name]))
	}
	if len(takes) > 0 {
		return fmt.Errorf("%d forms take the filter %+v: %s", len(takes), flt, strings.Join(takes, " "))
	}
	return nil
}

// takes calls a function that takes a filter, with any other arguments, runs the iteration that it may return, and
// reports whether nothing was wrong with it.
func (j *matrixJudge) takes(f reflect.Value, flt query.Filter) (taken bool) {
	args := make([]reflect.Value, f.Type().NumIn())
	for i := range args {
		switch in := f.Type().In(i); in {
		case reflect.TypeFor[query.Filter]():
			args[i], taken = reflect.ValueOf(flt), true
		case reflect.TypeFor[linear.View]():
			args[i] = reflect.ValueOf(j.v)
		case reflect.TypeFor[collide.Views]():
			args[i] = reflect.ValueOf(collide.Within(j.v))
		case reflect.TypeFor[func(query.Range) bool]():
			args[i] = reflect.ValueOf(func(query.Range) bool { return true })
		case reflect.TypeFor[int](), reflect.TypeFor[float32]():
			args[i] = reflect.ValueOf(1).Convert(in)
		default:
			if args[i] = reflect.Zero(in); in.Kind() == reflect.Slice {
				args[i] = reflect.MakeSlice(in, 1, 1)
			}
		}
	}
	if !taken {
		return false
	}
	defer func() {
		if recover() != nil {
			taken = false
		}
	}()
	for _, out := range f.Call(args) {
		if err, ok := out.Interface().(error); ok && err != nil {
			return false
		}
		if out.Kind() == reflect.Func {
			out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true)}
			})})
		}
	}
	return true
}
