package prof

import (
	"cmp"
	"math"
	"slices"
)

// Real is the |z| above which a difference counts as real: by chance alone one comparison in 370 exceeds it.
const Real = 3

// Change is the difference of a part between two profiles.
type Change struct {
	Name     string
	Old, New Amount

	// Share is z of the two-proportion test of the part's share in the library's samples, with the pooled share p
	// of both:
	//
	//	z = (new/n - old/m) / sqrt(p*(1-p)*(1/n + 1/m))
	Share float64

	// Time is z of the test that two Poisson counts have the same rate, per pass of the workload, with u and v
	// the numbers of passes; NaN if these are unknown:
	//
	//	z = (new/u - old/v) / sqrt((new+old)/(u+v) * (1/u + 1/v))
	Time float64
}

// Diff compares parts by name: the parts of the new report in their order, then the parts of the old one
// only. The wholes are the library's samples; passes may be 0 for unknown.
//
// Samples are taken at fixed intervals of CPU time and assumed to be independent. A temporary slowdown of the
// machine violates this assumption: compare profiles of a quiet machine, and trust only reproducible
// differences.
func Diff(old, new []Row, oldAll, newAll Amount, oldPasses, newPasses float64) (list []Change) {
	find := func(rows []Row, name string) Amount {
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name }); i >= 0 {
			return rows[i].Amount
		}
		return Amount{}
	}
	names := make([]string, 0, len(new)+len(old))
	for _, r := range slices.Concat(new, old) {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	for _, name := range names {
		c := Change{Name: name, Old: find(old, name), New: find(new, name)}
		c.Share = zOfShares(float64(c.Old.Samples), float64(oldAll.Samples), float64(c.New.Samples), float64(newAll.Samples))
		c.Time = math.NaN()
		if oldPasses > 0 && newPasses > 0 {
			c.Time = zOfRates(float64(c.Old.Samples), oldPasses, float64(c.New.Samples), newPasses)
		}
		list = append(list, c)
	}
	return list
}

// zOfShares compares x of m with y of n; 0 if a whole is empty.
func zOfShares(x, m, y, n float64) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	p := (x + y) / (m + n)
	if p == 0 || p == 1 {
		return 0
	}
	return (y/n - x/m) / math.Sqrt(p*(1-p)*(1/n+1/m))
}

// zOfRates compares x in v passes with y in u passes.
func zOfRates(x, v, y, u float64) float64 {
	if x+y == 0 {
		return 0
	}
	return (y/u - x/v) / math.Sqrt((x+y)/(u+v)*(1/u+1/v))
}

// Moved reports whether either test finds a real difference.
func (c Change) Moved() bool { return math.Abs(c.Share) > Real || math.Abs(c.Time) > Real }

// Most returns the n least likely changes, in the order of the list.
func Most(list []Change, n int) []Change {
	far := func(c Change) float64 {
		if math.IsNaN(c.Time) {
			return math.Abs(c.Share)
		}
		return max(math.Abs(c.Share), math.Abs(c.Time))
	}
	if len(list) <= n {
		return list
	}
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b Change) int { return cmp.Compare(far(b), far(a)) })
	least := far(order[n-1])
	var kept []Change
	for _, c := range list {
		if far(c) >= least && len(kept) < n {
			kept = append(kept, c)
		}
	}
	return kept
}
