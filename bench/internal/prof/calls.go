package prof

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Call is a small function that is called often and was not inlined.
//
// A CPU profile does not count calls, so such functions are found by heuristics. The function is Go code of
// the library with a frame of its own. It is a leaf: nearly all samples below it are in itself. Its machine
// code is short, and its share of the samples is significant. A short, rarely called function with a long
// loop has the same properties, but few of its samples are at its Entry.
type Call struct {
	Name   string
	Caller string // caller with most samples
	Amount
	Size  int     // bytes of machine code
	Entry float64 // share of its samples within its first 16 bytes
}

// even returns the Entry of a function with evenly distributed samples. A loop away from the entry, which
// runs more often than the function is called, reduces it.
func (c Call) even() float64 { return callEntry / float64(max(c.Size, callEntry)) }

const (
	callSize  = 256  // bytes: for larger functions the call is rarely the cost
	callShare = 0.01 // of the library's samples
	callLeaf  = 0.9  // of the samples below the function that are in itself
	callEntry = 16   // bytes
)

// Sizer returns the entry address and the size in bytes of the function with an instruction at the address;
// size 0 if it is unknown.
type Sizer func(address uint64) (entry uint64, size int)

// RuntimeSize is the Sizer of the running program.
func RuntimeSize(address uint64) (entry uint64, size int) {
	at := runtime.FuncForPC(uintptr(address))
	if at == nil {
		return 0, 0
	}
	start := at.Entry()
	for end := start; ; end++ {
		f := runtime.FuncForPC(end)
		if f == nil || f.Entry() != start || end-start > 1<<16 {
			return uint64(start), int(end - start)
		}
	}
}

// calls finds such functions, sorted by descending number of samples.
func calls(p *profile.Profile, library Amount, size Sizer) (list []Call) {
	type body struct {
		flat, below Amount
		at          map[uint64]int64 // samples by address
		callers     tally
	}
	bodies := map[string]*body{}
	of := func(name string) *body {
		b := bodies[name]
		if b == nil {
			b = &body{at: map[uint64]int64{}, callers: tally{}}
			bodies[name] = b
		}
		return b
	}
	for _, s := range p.Sample {
		a := amountOf(s)
		var seen []string
		stack := stackOf(s)
		for i, l := range stack {
			if len(l.Line) == 0 {
				continue
			}
			f := l.Line[len(l.Line)-1].Function // has a frame; the others are inlined into it
			if f == nil || strings.HasSuffix(f.Filename, ".s") || slices.Contains(seen, f.Name) {
				continue
			}
			if _, ok := libraryPackage(packageOf(f.Name)); !ok {
				continue
			}
			seen = append(seen, f.Name)
			b := of(f.Name)
			b.below.add(a)
			if i > 0 {
				continue
			}
			b.flat.add(a)
			b.at[l.Address] += a.Samples
			if i+1 < len(stack) && len(stack[i+1].Line) > 0 {
				if g := stack[i+1].Line[0].Function; g != nil {
					b.callers.add(g.Name, a)
				}
			}
		}
	}
	for name, b := range bodies {
		if float64(b.flat.Samples) < callShare*float64(library.Samples) ||
			float64(b.flat.Samples) < callLeaf*float64(b.below.Samples) || len(b.callers) == 0 {
			continue
		}
		c := Call{Name: name, Caller: b.callers.largest()[0].Name, Amount: b.flat}
		begun := int64(0)
		for address, n := range b.at {
			entry, size := size(address)
			c.Size = size
			if address < entry+callEntry {
				begun += n
			}
		}
		if c.Size == 0 || c.Size > callSize {
			continue
		}
		c.Entry = float64(begun) / float64(b.flat.Samples)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Name, b.Name))
	})
	return list
}
