// Package prof analyses CPU and heap profiles of programs that use the library. It reports the time of each
// phase, kernel and package, the share of the garbage collector, and the bytes that each phase allocates. It
// also finds calls that might have been inlined, and significant differences between two profiles.
//
// # Terms
//
// A sample belongs to the library if a function of the library is on its stack, at any depth: runtime work on
// behalf of the library counts as the library's. Shares of phases, kernels and packages are shares of these
// samples and add up to 1. The collector's share is a share of all samples of the program.
package prof

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// module is the prefix of the names of the library's functions.
const module = "github.com/zoctree/zoctree/"

// Amount is a number of samples and their time, in nanoseconds; in a heap profile, a number of objects and
// bytes.
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

// amountOf returns the amount of a sample: Go's profiles have the number first and time or bytes second.
func amountOf(s *profile.Sample) Amount { return Amount{s.Value[0], s.Value[1]} }

// packageOf returns the import path of a function from its full name, which may have type arguments in
// brackets.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+dot]
}

// outside are the folders of the module that are not part of the library: benchmarks, drawing and test
// scenes.
var outside = []string{"bench", "internal/scene", "internal/testkit", "query/show"}

// libraryPackage returns the path of a package below the module, if it is part of the library.
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
	inlined    bool // into the next frame
}

// stackOf returns the locations of a sample, innermost first, without the call that the runtime inserts into
// a function to preempt it. On a busy machine the signals of the scheduler and the profiler arrive together,
// and the time belongs to the function.
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
