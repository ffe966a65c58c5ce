// Command mutate is a mutation tester: it makes one small change in the code, a mutant, and runs the tests
// that could detect it. A surviving mutant indicates a missing test, or code without effect.
//
//	go run . -pkg ../../linear -n 300 -seed 7            Go files of a package
//	go run . -pkg ../../asm/cull -file '*_generic.go'    the Go fallbacks of the kernels
//	go run . -pkg ../../asm/cull -asm -n 100             the assembly of this machine
//	go run . -since main~5                               the lines of a change
//	go run . -pkg ../../query -json q.json               resumes where it was stopped
//	go run . -pkg ../../query -json r.json -again q.json the survivors of q.json
//	go run . -pkg ../../soa -tests ../../soa -short -all what each test contributes
//
// # Selection
//
// Every mutant that the operators find in the files compiled on this machine, except test files, is a
// candidate; -seed shuffles them and -n of them are selected. With -since, candidates on changed lines
// precede all others of the changed packages. Candidates that fail type checking are skipped. The operators:
//
//	Go:       relational, logic, negate, arithmetic, bits, constant, bound, minmax,
//	          remove, else, leave (return, continue, break), zero, arguments, bool
//	assembly: jump, predicate, minmax, addsub, logic, drop, register, mask,
//	          immediate, offset
//
// Code without testable effect is not mutated: the texts of String methods, errors and panics, phase labels,
// prefetches, capacity hints.
//
// # Verdict
//
// A mutant survives if `go test` in its default form, with GOFLAGS but no ZOCTREE variables, passes in its
// package and in all packages of the module whose code or tests import it. Everything else only saves time:
//
//   - A coverage map lists the tests that execute each line; a mutant that none executes survives at once.
//     The map is made by running each test alone, and stored in the user's cache folder under a hash of the
//     test binary, so that it is rebuilt only for changed packages.
//   - Tests run fastest first, in their -short form first if that is much faster, and end at the first
//     failure. A survivor has passed the default form of all.
//   - A declaration outside functions counts as executed by every test; assembly by the tests that execute a
//     Go line that names the function.
//
// A test that takes -timeout times its usual time and ten seconds has detected the mutant. Vet is not run.
// Each worker has a copy of the module in the folder of temporary files, where it writes the mutant, compiles
// and runs: the checkout is only read. (The overlays of the go command would suffice for Go files, but it
// does not apply them to files included by assembly, and tests that read sources would not see them.)
//
// # What tests contribute
//
// With -all, every test that executes a mutant runs against it, in the default form or with -short in that
// form, and the verdict lists every test that detects it (after two time-outs the rest is not run). A table
// then has, for each test, the mutants that it alone detects, the mutants that it detects with others, the
// blocks of the mutated packages that it alone executes, and its lines. A test with zeros in front is a candidate for
// deletion; the sample is small, so read what it tests before. At most 150 mutants a package are run. Where
// all tests take too long, -skip leaves out the candidates: run with -again but without -skip, the survivors
// that are then caught need one of them.
//
// # Equivalents
//
// equivalent.txt lists mutants without an observable effect, one a line, each with the reason. They are not
// run and are counted separately; at most a tenth of the mutants may be listed. The list of survivors at the
// end of a run has the same form.
//
// The exit code is 1 if the share caught is below -want, or more than a tenth are listed as equivalent.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

type options struct {
	pkgs, tests []string
	skip        *regexp.Regexp
	since       string
	file, tags  string
	assembly    bool
	short, list bool
	all         bool
	n, workers  int
	seed        uint64
	timeout     float64
	grace       time.Duration // additional time, for slow starts
	want        float64
	json, again string
	equivalent  string
	cache       string // folder of coverage maps; "": the user's cache folder
}

func parse(args []string, out io.Writer) (*options, error) {
	o := &options{grace: 10 * time.Second}
	var pkgs, tests, skip string
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&pkgs, "pkg", "", "folders of the packages to mutate, with commas")
	f.StringVar(&o.since, "since", "", "mutate the packages that changed since this `commit`")
	f.StringVar(&o.file, "file", "", "only files whose name matches this `pattern`")
	f.BoolVar(&o.assembly, "asm", false, "mutate assembly, not Go")
	f.IntVar(&o.n, "n", 100, "`number` of mutants")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of the draw")
	f.IntVar(&o.workers, "p", 2, "mutants at a time")
	f.StringVar(&tests, "tests", "", "folders of the packages that judge, with commas: a quick look, for\nothers may catch what these let live (default all that import the package)")
	f.StringVar(&skip, "skip", "", "tests that match this `pattern` do not judge: what would live without them")
	f.BoolVar(&o.short, "short", false, "judge by the -short form alone: a quick look as well")
	f.StringVar(&o.tags, "tags", "", "build `tags`")
	f.Float64Var(&o.timeout, "timeout", 8, "a test may take this many times its usual time, and ten seconds")
	f.StringVar(&o.json, "json", "", "`file` of verdicts: those it has are kept, new ones are added")
	f.StringVar(&o.again, "again", "", "only the mutants that survive in this `file` of verdicts")
	f.Float64Var(&o.want, "want", 0, "exit code 1 if a smaller `share` is caught")
	f.StringVar(&o.equivalent, "equivalent", "equivalent.txt", "`file` of equivalent mutants")
	f.BoolVar(&o.all, "all", false, "run all tests that execute a mutant, and print what each test contributes")
	f.BoolVar(&o.list, "list", false, "print the mutants drawn and run nothing")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.pkgs, o.tests = fields(pkgs), fields(tests)
	var err error
	if o.skip, err = regexp.Compile(skip); err != nil {
		return nil, err
	}
	if skip == "" {
		o.skip = nil
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case len(o.pkgs) == 0 == (o.since == ""):
		return nil, errors.New("want one of -pkg and -since")
	case o.all && o.n > mostForAll*max(1, len(o.pkgs)):
		return nil, fmt.Errorf("-n %d is more than the %d mutants a package of -all", o.n, mostForAll)
	case o.n < 1 || o.workers < 1:
		return nil, fmt.Errorf("-n %d and -p %d must be positive", o.n, o.workers)
	}
	return o, nil
}

func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = check(ctx, o, os.Stdout)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
