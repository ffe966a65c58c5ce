package show

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// params are the parameters of a request. Each can be taken once. The first error is kept; done
// returns it, or an error that names the parameters not taken.
type params struct {
	values url.Values
	err    error
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("show: "+format, args...)
	}
}

// take returns the value of a parameter and removes it.
func (p *params) take(name string) (text string, ok bool) {
	list, ok := p.values[name]
	delete(p.values, name)
	if !ok {
		return "", false
	}
	if len(list) != 1 {
		p.fail("%s is given %d times, want once", name, len(list))
		return "", false
	}
	return list[0], true
}

// done returns the first error.
func (p *params) done() error {
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		p.fail("unknown parameter %q", name)
	}
	return p.err
}

// oneOf returns the index of the value of a parameter in words; a missing parameter has the first
// one.
func (p *params) oneOf(name string, words ...string) int {
	text, ok := p.take(name)
	if !ok {
		return 0
	}
	i := slices.Index(words, text)
	if i < 0 {
		p.fail("%s=%q, want one of %s", name, text, strings.Join(words, ", "))
		return 0
	}
	return i
}

// integer returns a parameter within a range, or a default if it is missing.
func (p *params) integer(name string, otherwise, least, most int) int {
	text, ok := p.take(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.fail("%s=%q, want %d to %d", name, text, least, most)
		return otherwise
	}
	return n
}

// number returns a finite parameter.
func (p *params) number(name string) (x float64, ok bool) {
	list := p.numbers(name, 1)
	if list == nil {
		return 0, false
	}
	return float64(list[0]), true
}

// numbers returns the finite numbers of a parameter, count of them, or nil if it is missing or
// invalid.
func (p *params) numbers(name string, count int) (list []float32) {
	text, ok := p.take(name)
	if !ok {
		return nil
	}
	words := strings.Split(text, ",")
	if len(words) != count {
		p.fail("%s has %d numbers, want %d", name, len(words), count)
		return nil
	}
	for _, word := range words {
		x, err := strconv.ParseFloat(word, 32)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			p.fail("%s: %q is not a finite number", name, word)
			return nil
		}
		list = append(list, float32(x))
	}
	return list
}

// maxNearest is the largest number of neighbours of a request.
const maxNearest = 10_000

// trace runs the query of the parameters, if there is one. With onlyHeat the trace has the visits alone, which
// take no memory for results.
func (p *params) trace(v linear.View, onlyHeat bool) (t *Trace, err error) {
	var flt query.Filter
	if text, ok := p.take("mask"); ok {
		mask, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			p.fail("mask=%q, want 0 to %d", text, uint32(math.MaxUint32))
		}
		flt.Mask = uint32(mask)
	}
	flt.Exact = p.oneOf("exact", "false", "true") == 1
	box, sphere, near := p.numbers("box", 6), p.numbers("sphere", 4), p.numbers("nearest", 4)
	ray, planes := p.numbers("ray", 7), p.numbers("planes", 24)
	n := 0
	for _, list := range [][]float32{box, sphere, near, ray, planes} {
		n += b2i(list != nil)
	}
	if n > 1 {
		p.fail("%d queries, want one", n)
	}
	if p.err != nil || n == 0 {
		return nil, p.err
	}
	switch {
	case box != nil:
		q, err := query.NewBox([3]float32(box), [3]float32(box[3:]))
		return traceValid(q, err, v, flt, onlyHeat)
	case sphere != nil:
		q, err := query.NewSphere([3]float32(sphere), sphere[3])
		return traceValid(q, err, v, flt, onlyHeat)
	case near != nil:
		if k := near[3]; !(k >= 1 && k <= maxNearest) || k != float32(int(k)) {
			return nil, fmt.Errorf("show: nearest asks for %v, want 1 to %d", k, maxNearest)
		}
		if onlyHeat {
			t = &Trace{Heat: query.NewHeat(v)}
			_, err := query.ExplainNearest(v, [3]float32(near), int(near[3]), query.Unlimited, flt, t.Heat)
			return t, err
		}
		return TraceNearest(v, [3]float32(near), int(near[3]), flt)
	case ray != nil:
		q, err := query.NewRay([3]float32(ray), [3]float32(ray[3:]), ray[6])
		return traceValid(q, err, v, flt, onlyHeat)
	}
	var six [6][4]float32
	for i := range six {
		six[i] = [4]float32(planes[4*i:])
	}
	q, err := query.FrustumPlanes(six)
	return traceValid(q, err, v, flt, onlyHeat)
}

// traceValid is TraceQuery of the result of a constructor, whose error it returns.
func traceValid[Q query.Volume | query.Sweep](q Q, err error, v linear.View, flt query.Filter, onlyHeat bool) (*Trace, error) {
	if err != nil {
		return nil, err
	}
	if onlyHeat {
		t := &Trace{Heat: query.NewHeat(v)}
		any(&q).(explainer).Explain(v, flt, t.Heat)
		return t, nil
	}
	return TraceQuery(q, v, flt)
}

// explainer is a volume query, a ray cast or a shape cast.
type explainer interface {
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}
