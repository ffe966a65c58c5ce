package phase

import (
	"context"
	"maps"
	"reflect"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"unsafe"
)

// pair is a label in the representation of package pprof: a label set is a list of pairs. readable
// checks this.
type pair struct{ Key, Value string }

// readable reports whether the type of label sets in a context matches pair. If not, the labels of
// a phase replace the labels of the program.
var readable = sync.OnceValue(func() bool {
	set := reflect.Indirect(reflect.ValueOf(pprof.WithLabels(context.Background(), pprof.Labels(Key, ""))))
	if set.Kind() != reflect.Struct || !set.FieldByName("val").IsValid() {
		return false
	}
	val := set.FieldByName("val").Elem()
	if !val.IsValid() {
		return false
	}
	t := val.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for t.Kind() == reflect.Struct && t.NumField() == 1 {
		t = t.Field(0).Type
	}
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && t.Elem().ConvertibleTo(reflect.TypeFor[pair]())
})

// with is a label set and the phase to add to it. The phase Count is the inverse: it maps a merged
// set to the set that it was made from.
type with struct {
	before unsafe.Pointer
	phase  Phase
}

// merged caches label sets of programs with a phase added. Readers load the map without a lock;
// writers replace it by a copy. It keeps its sets alive, and is emptied when it is too large: a
// program that makes labels for each request allocates some sets for each.
var merged struct {
	known   atomic.Pointer[map[with]unsafe.Pointer]
	writing sync.Mutex
}

const mostMerged = 1024

// of returns the label set for phase p of a goroutine whose labels were before.
func of(before unsafe.Pointer, p Phase) unsafe.Pointer {
	if before == nil || before == unsafe.Pointer(&bare) {
		return sets[p]
	}
	known := *merged.known.Load()
	if base := known[with{before, Count}]; base != nil { // the labels of an outer phase
		if before = base; before == unsafe.Pointer(&bare) {
			return sets[p]
		}
	}
	if set := known[with{before, p}]; set != nil {
		return set
	}
	return merge(before, p)
}

// bareSets returns the map with the sets of phases alone.
func bareSets() map[with]unsafe.Pointer {
	known := map[with]unsafe.Pointer{}
	for _, set := range sets {
		known[with{set, Count}] = unsafe.Pointer(&bare)
	}
	return known
}

// merge makes a label set and caches it.
//
//go:noinline
func merge(before unsafe.Pointer, p Phase) unsafe.Pointer {
	if !readable() {
		return sets[p]
	}
	merged.writing.Lock()
	defer merged.writing.Unlock()
	var words []string
	for _, l := range *(*[]pair)(before) {
		if l.Key != Key && l.Key != OpKey {
			words = append(words, l.Key, l.Value)
		}
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(append(words, Key, names[p], OpKey, ops[p])...)))
	set := labels()
	setLabels(before)
	known := bareSets()
	if old := *merged.known.Load(); len(old) < mostMerged {
		known = maps.Clone(old)
	}
	known[with{before, p}], known[with{set, Count}] = set, before
	merged.known.Store(&known)
	return set
}
