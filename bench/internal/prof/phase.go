package prof

import (
	"path"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/internal/phase"
)

// other is the name of the samples outside all phases.
const other = "other"

// phaseOf returns the name of a sample's phase: its label, or, without one, the phase determined by its
// stack. Heap profiles have no labels; neither do programs that do not enable them.
func phaseOf(s *profile.Sample, stack []frame) string {
	if l := s.Label[phase.Key]; len(l) == 1 {
		if _, ok := phase.Named(l[0]); ok {
			return l[0]
		}
	}
	for _, f := range stack {
		if p, ok := phaseOfFunction(f.name, f.file); ok {
			return p.String()
		}
	}
	return other
}

// rule assigns functions of a file to a phase. The first rule applies whose prefixes of the file's name, and
// of the function's, if given, match.
type rule struct {
	file, function string
	phase          phase.Phase
}

// none is the phase of functions shared by several phases: their callers decide.
const none = phase.Count

// rules holds the rules of each package of the library. The innermost function of a stack that has a phase
// decides; most files belong to one phase.
var rules = map[string][]rule{
	"internal/radix": {{"", "", phase.Sort}},
	"linear/internal/octree": {
		{"build_coder", "", none},
		{"build_fit", "", phase.Encode},
		{"build_topology", "", phase.Topology},
		{"build", "encode", phase.Encode},
		{"build", "gather", phase.Encode},
		{"build", "fitWorld", phase.Encode},
		{"build", "", phase.Fill},
		{"shape_refit", "", phase.Refit},
		{"validate", "", none},
		{"placement_find", "", none},
		{"lists", "clone", none},
		{"state", "", none},
		{"settings", "Begin", phase.Fill}, // the memory of a tree
		{"settings", "", none},
		{"", "", phase.Flush},
	},
	"linear/internal/file":     {{"", "", phase.Flush}},
	"linear/internal/instance": {{"", "", phase.Flush}},
	"linear/internal/shard":    {{"", "", phase.Flush}},
	"linear/internal/version":  {{"", "", phase.Flush}},
	"linear": {
		{"rebuild", "", phase.Fill},
		{"stats", "", none},
		{"view", "", none},
		{"lifecycle", "", none},
		{"config", "New", phase.Fill}, // the memory of a tree
		{"config", "", none},
		{"", "", phase.Flush},
	},
	"query": {
		{"ray", "", phase.Ray},
		{"swe", "", phase.Ray},
		{"near", "", phase.Nearest},
		{"iterate", "", phase.Ranges},
		{"frustum", "", phase.Nodes},
		{"box", "", phase.Nodes},
		{"sphere", "", phase.Nodes},
		{"convex", "", phase.Nodes},
		{"point", "", phase.Nodes},
		{"batch_rays", "", phase.Ray},
		{"batch_nearest", "", phase.Nearest},
		{"batch", "", phase.Ranges},
	},
	"query/internal/walk": {
		{"ray", "", phase.Ray},
		{"sweep", "", phase.Ray},
		{"cast", "", phase.Ray},
		{"ball", "", phase.Ray},
		{"hit", "", phase.Ray},
		{"near", "", phase.Nearest},
		{"frontier", "", phase.Nearest},
		{"filter", "", none},
		{"walk", "Append", phase.Ranges},
		{"walk", "inside", phase.Ranges},
		{"walk", "descend", phase.Ranges},
		{"walk", "addRange", phase.Ranges},
		{"walk", "filter", phase.Ranges},
		{"walk", "scan", phase.Packets},
		{"walk", "", phase.Nodes},
		{"count", "scan", phase.Packets},
		{"count", "", phase.Nodes},
		{"frustum", "", phase.Nodes},
		{"box", "", phase.Nodes},
		{"sphere", "", phase.Nodes},
		{"convex", "", phase.Nodes},
		{"bounds", "", phase.Ranges},
		{"exact", "", phase.Ranges},
		{"separators", "", phase.Ranges},
	},
	"query/occlude": {
		{"camera", "", phase.Clear},
		{"frame", "", phase.Clear},
		{"cone", "", phase.Cones},
		{"hull", "", phase.Cones},
		{"buffer", "", phase.Draw},
		{"occluders", "", phase.Pick},
		{"answer", "", phase.Visible},
		{"query", "", phase.Visible},
		{"", "", none},
	},
	"query/collide":  {{"", "", phase.Pairs}},
	"query/interest": {{"", "", phase.Ranges}},
	"asm/build": {
		{"encode", "", phase.Encode},
		{"fill", "reduce", none},
		{"fill", "Reduce", none},
		{"fill", "", phase.Fill},
	},
	"asm/cull": {
		{"emit", "", phase.Ranges},
		{"visible", "", phase.Visible},
		{"lens", "MakeLens", phase.Clear},
		{"lens", "", phase.Visible},
	},
	"asm/depth": {
		{"cone", "", phase.Draw},
		{"pyramid", "", phase.Pyramid},
		{"picture", "", phase.Clear},
	},
	"asm/pair": {{"", "", phase.Pairs}},
	"asm/trace": {
		{"ray", "", phase.Ray},
		{"near", "", phase.Nearest},
	},
}

// volumeKernels are the prefixes of the files of asm/cull with the kernels of volumes, whose names distinguish nodes
// and packets.
var volumeKernels = []string{"volume", "frustum", "box", "sphere", "convex", "multi", "far"}

// phaseOfFunction returns the phase of one function.
func phaseOfFunction(name, file string) (p phase.Phase, ok bool) {
	pkg, ok := libraryPackage(packageOf(name))
	if !ok {
		return none, false
	}
	base, short := path.Base(file), shortName(name)
	if pkg == "asm/cull" {
		for _, k := range volumeKernels {
			if !strings.HasPrefix(base, k) {
				continue
			}
			if strings.Contains(short, "Packets") || strings.Contains(short, "Scan") {
				return phase.Packets, true
			}
			return phase.Nodes, true
		}
	}
	for _, r := range rules[pkg] {
		if strings.HasPrefix(base, r.file) && strings.HasPrefix(short, r.function) {
			return r.phase, r.phase != none
		}
	}
	return none, false
}

// shortName returns the name of a function or method without package, receiver and type arguments: "encode"
// for "example.com/linear.(*job).encode". A closure has the name of its enclosing function.
func shortName(name string) string {
	pkg := packageOf(name)
	name, _, _ = strings.Cut(name, "[")
	name = strings.TrimPrefix(strings.TrimPrefix(name, pkg), ".")
	parts := strings.Split(name, ".")
	if len(parts) > 1 && strings.HasPrefix(parts[0], "(") {
		return parts[1]
	}
	if len(parts) > 1 && !strings.HasPrefix(parts[1], "func") && parts[1] != "abi0" {
		return parts[1] // a method with a value receiver
	}
	return parts[0]
}
