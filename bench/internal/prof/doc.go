// Package prof reads profiles of programs that use the library and says what
// they tell: the time of each phase, kernel and package, the collector's share,
// calls that might have been inlined, the bytes that each phase allocates, and
// what differs between two profiles beyond chance.
//
// # Words
//
// A sample belongs to the library when a function of the library is on its
// stack, at whatever depth: what the library makes the runtime do counts as the
// library's. Shares of phases, kernels and packages are shares of these samples
// and add up to all of them. The collector's share is one of all samples of the
// program.
package prof

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// module is the path that the names of the library's functions begin with.
const module = "github.com/zoctree/zoctree/"

// Amount is a number of samples and the time, in nanoseconds, that they stand
// for; of a heap profile, a number of objects and bytes.
type Amount struct {
	Samples, Value int64
}

func (a *Amount) add(b Amount) {
	a.Samples += b.Samples
	a.Value += b.Value
}

// Row is a named part of a whole.
type Row struct {
	Name string
	Amount
}

// amountOf returns what a sample counts: Go's profiles have the number first and
// time or bytes second.
func amountOf(s *profile.Sample) Amount { return Amount{s.Value[0], s.Value[1]} }

// packageOf returns the import path of a function by its full name, which may
// have type arguments in brackets.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+dot]
}

// outside are the folders of the module that are not of the library: what
// measures it, draws it and makes its objects.
var outside = []string{"bench", "internal/scene", "internal/testkit", "query/show"}

// libraryPackage returns the path of a package below the module, if it is one
// of the library.
func libraryPackage(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, module)
	if !ok || slices.ContainsFunc(outside, func(folder string) bool { return strings.HasPrefix(name+"/", folder+"/") }) {
		return "", false
	}
	return strings.TrimSuffix(name, "_test"), true
}

// frame is a function on a stack, inlined or not.
type frame struct {
	name, file string
	inlined    bool // into the frame that follows
}

// stackOf returns the locations of a sample, innermost first, without the call
// that the runtime slips into a function to preempt it: on a busy machine the
// signals of the scheduler and the profiler arrive together, and the time is that
// of the function.
func stackOf(s *profile.Sample) []*profile.Location {
	list := s.Location
	for len(list) > 0 && len(list[0].Line) > 0 {
		f := list[0].Line[0].Function
		if f == nil || !strings.HasPrefix(f.Name, "runtime.asyncPreempt") {
			break
		}
		list = list[1:]
	}
	return list
}

// frames returns the stack of a sample, innermost first.
func frames(s *profile.Sample) (list []frame) {
	for _, l := range stackOf(s) {
		for i, line := range l.Line {
			if line.Function != nil {
				list = append(list, frame{line.Function.Name, line.Function.Filename, i+1 < len(l.Line)})
			}
		}
	}
	return list
}

// ofLibrary reports whether a function of the library is on the stack.
func ofLibrary(stack []frame) bool {
	for _, f := range stack {
		if _, ok := libraryPackage(packageOf(f.name)); ok {
			return true
		}
	}
	return false
}
