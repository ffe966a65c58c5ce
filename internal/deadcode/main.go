// Command deadcode prints declarations without a use: functions that neither commands nor tests reach (as
// golang.org/x/tools/cmd/deadcode), and other declarations that their package does not use (as check U1000 of
// staticcheck). It reads and type-checks the sources once for both, and compiles nothing.
//
//	deadcode [-tags tags] [-files regexp] pattern...
//
// The exit code is 1 if there are such declarations. It is a separate module, so that the analysers are no dependency
// of zoctree.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"honnef.co/go/tools/unused"
)

func main() {
	log.SetPrefix("deadcode: ")
	log.SetFlags(0)
	tags := flag.String("tags", "", "build tags, with commas")
	files := flag.String("files", "", "judge only functions in files whose names match `REGEXP`")
	flag.Parse()
	judged, err := regexp.Compile(*files)
	if err != nil {
		log.Fatal(err)
	}
	initial, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax | packages.NeedModule,
		Tests:      true,
		BuildFlags: []string{"-tags=" + *tags},
	}, flag.Args()...)
	if err != nil {
		log.Fatal(err)
	}
	if len(initial) == 0 || packages.PrintErrors(initial) > 0 {
		log.Fatal("no packages, or packages with errors")
	}
	found, err := unusedIn(initial)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range unreachable(initial) {
		if judged.MatchString(line) {
			found = append(found, line)
		}
	}
	slices.Sort(found)
	for _, line := range slices.Compact(found) {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// A place is a position in a source file, which the variants of a package for different tests share.
type place struct {
	file         string
	line, column int
}

func placeOf(p token.Position) place { return place{p.Filename, p.Line, p.Column} }

// describe returns a line of output, with the file relative to the working directory.
func describe(p token.Position, what string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, p.Filename); err == nil {
			p.Filename = rel
		}
	}
	return fmt.Sprintf("%v: %s", p, what)
}

// unusedIn returns the declarations that no variant of their package uses.
func unusedIn(initial []*packages.Package) (found []string, err error) {
	graph, err := checker.Analyze([]*analysis.Analyzer{unused.Analyzer.Analyzer}, initial, nil)
	if err != nil {
		return nil, err
	}
	used := map[place]bool{}
	var idle []unused.Object
	for _, root := range graph.Roots {
		if root.Err != nil {
			return nil, root.Err
		}
		r := root.Result.(unused.Result)
		for _, o := range r.Used {
			used[placeOf(o.Position)] = true
		}
		idle = append(idle, r.Unused...)
	}
	for _, o := range idle {
		if !used[placeOf(o.Position)] {
			found = append(found, describe(o.DisplayPosition, fmt.Sprintf("%s %s is unused", o.Kind, o.Name)))
		}
	}
	return found, nil
}

// marks reports whether a method is empty and implements an interface of its package: it marks the type.
func marks(p *packages.Package, f *ast.FuncDecl) bool {
	signature := p.TypesInfo.Defs[f.Name].Type().(*types.Signature)
	if f.Recv == nil || f.Name.IsExported() || f.Body == nil || len(f.Body.List) > 0 || signature.Params().Len()+signature.Results().Len() > 0 {
		return false
	}
	for _, name := range p.Types.Scope().Names() {
		i, ok := p.Types.Scope().Lookup(name).Type().Underlying().(*types.Interface)
		if ok && types.Implements(signature.Recv().Type(), i) && slices.ContainsFunc(slices.Collect(i.Methods()), func(m *types.Func) bool { return m.Name() == f.Name.Name }) {
			return true
		}
	}
	return false
}

// unreachable returns the functions and methods that no main function or test reaches, by rapid type analysis. It
// leaves out generated files.
func unreachable(initial []*packages.Package) (found []string) {
	prog, all := ssautil.AllPackages(initial, ssa.InstantiateGenerics)
	var roots []*ssa.Function
	for _, p := range ssautil.MainPackages(all) {
		roots = append(roots, p.Func("init"), p.Func("main"))
	}
	if len(roots) == 0 {
		log.Fatal("no main packages")
	}
	prog.Build()
	live := map[place]bool{}
	for f := range rta.Analyze(roots, false).Reachable {
		if f.Pos().IsValid() {
			live[placeOf(prog.Fset.Position(f.Pos()))] = true
		}
	}
	for _, p := range initial {
		for _, file := range p.Syntax {
			if ast.IsGenerated(file) {
				continue
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Name.Name == "_" || f.Recv == nil && f.Name.Name == "init" {
					continue
				}
				at := p.Fset.Position(f.Name.Pos())
				if !live[placeOf(at)] && !marks(p, f) {
					found = append(found, describe(at, "unreachable func: "+f.Name.Name))
				}
			}
		}
	}
	return found
}
