package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

//go:embed kernels.txt
var kernelTable string

// family is a row of the table of families: the code that each tier runs.
type family struct {
	name, avx2, avx512, neon, about string
}

// dispatcher is a function that calls the kernel of the active tier.
type dispatcher struct {
	signature string // without func
	results   bool
	lines     []tableLine
}

// tableLine is a line of a dispatcher.
type tableLine struct {
	arch, key, value string // arch is empty for both CPUs
}

// kernelCall is one of the kernels that a dispatcher calls.
type kernelCall struct {
	when                      string // condition, empty if it holds always
	name, parameters, results string
	arguments                 string
}

// pack is a package with the functions that call its kernels.
type pack struct {
	folder, name string
	functions    []*dispatcher
}

var (
	familyLine = regexp.MustCompile(`^family (\w+) +(\w+) +(\w+) +(\w+) +(.+)$`)
	ruleLine   = regexp.MustCompile(`^\t(?:(amd64|arm64) )?(pre|only|rows|pdep|half|ymm|asm|each|go|then)\b *(.*)$`)
	asmLine    = regexp.MustCompile(`^(?:when (.+): )?([\w$]+)\((.*?)\)(?: (\(.*?\)))? = (.+)$`)
)

// readTable returns the families and the packages of kernels.txt.
func readTable(text string) (families []family, packs []*pack) {
	var in *pack
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fail := func(why string) { panic(fmt.Sprintf("kernels.txt:%d: %s: %q", i+1, why, line)) }
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case kind == "package":
			in = packNamed(&packs, rest)
		case kind == "family":
			m := familyLine.FindStringSubmatch(line)
			if m == nil {
				fail("no family")
			}
			families = append(families, family{m[1], m[2], m[3], m[4], m[5]})
		case kind == "func":
			in.functions = append(in.functions, &dispatcher{signature: rest, results: hasResults(rest)})
		default:
			m := ruleLine.FindStringSubmatch(line)
			if m == nil || in == nil || len(in.functions) == 0 {
				fail("no line of a function")
			}
			f := in.functions[len(in.functions)-1]
			f.lines = append(f.lines, tableLine{m[1], m[2], m[3]})
		}
	}
	return families, packs
}

func packNamed(packs *[]*pack, name string) *pack {
	for _, p := range *packs {
		if p.name == name {
			return p
		}
	}
	folder := "asm"
	switch name {
	case "asm":
	case "mem":
		folder = "internal/mem"
	default:
		folder += "/" + name
	}
	p := &pack{folder: folder, name: name}
	*packs = append(*packs, p)
	return p
}

// hasResults reports whether a signature has results after its last parameters.
func hasResults(signature string) bool {
	depth := 0
	for i, c := range signature {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if rest := signature[i+1:]; depth == 0 && !strings.Contains(rest, "(") {
				return rest != ""
			} else if depth == 0 && strings.HasPrefix(rest, " (") {
				return true
			}
		}
	}
	return false
}

// values returns the lines of a key for a CPU: those that name it, or else those that name none.
func (f *dispatcher) values(arch, key string) (own []string) {
	var common []string
	for _, l := range f.lines {
		switch {
		case l.key != key:
		case l.arch == arch:
			own = append(own, l.value)
		case l.arch == "":
			common = append(common, l.value)
		}
	}
	if len(own) > 0 {
		return own
	}
	return common
}

// value returns the only line of a key.
func (f *dispatcher) value(arch, key string) string {
	if v := f.values(arch, key); len(v) > 0 {
		return v[0]
	}
	return ""
}

// calls returns the kernels of a dispatcher on a CPU, one for each shape if it has shapes.
func (f *dispatcher) calls(arch string) (calls []kernelCall) {
	for _, v := range f.values(arch, "asm") {
		m := asmLine.FindStringSubmatch(v)
		if m == nil {
			panic("kernels.txt: no kernel: " + v)
		}
		shapes := strings.Fields(f.value(arch, "each"))
		if len(shapes) == 0 {
			calls = append(calls, kernelCall{m[1], m[2], m[3], m[4], m[5]})
		}
		for _, s := range shapes {
			field := strings.Replace(strings.TrimSuffix(s, "Far"), "Frustum", "Planes", 1)
			r := strings.NewReplacer("$S", s, "$P", field)
			when := "Shape" + s
			if strings.HasSuffix(s, "Far") {
				when = strings.ToLower(s[:1]) + s[1:]
			}
			calls = append(calls, kernelCall{when, r.Replace(m[2]), r.Replace(m[3]), m[4], r.Replace(m[5])})
		}
	}
	return calls
}

// familyOf returns the family of a kernel: the longest name that its name begins with.
func familyOf(families []family, kernel string) (of family) {
	for _, f := range families {
		if strings.HasPrefix(kernel, f.name) && len(f.name) > len(of.name) {
			of = f
		}
	}
	if of.name == "" {
		panic("kernels.txt: no family of " + kernel)
	}
	return of
}

// suffixes returns the endings of the code of a family on a CPU, the fastest first, each with the tiers that run it.
func (f family) suffixes(arch string) (list [][]string) {
	if arch == "arm64" {
		if f.neon == "neon" {
			list = append(list, []string{"NEON", "NEON"})
		}
		return list
	}
	if f.avx512 == "avx512" {
		list = append(list, []string{"AVX512", "AVX512"})
	}
	if f.avx2 == "avx2" {
		list = append(list, []string{"AVX2", "AVX2"})
		if f.avx512 == "avx2" {
			list[0] = append(list[0], "AVX512")
		}
	}
	return list
}

// dispatchFile returns the functions of a package on a CPU, and declares its kernels.
func dispatchFile(families []family, p *pack, arch string) string {
	var body, stubs strings.Builder
	for _, f := range p.functions {
		f.write(&body, &stubs, families, arch)
	}
	return goFile(arch+" && !purego", p.name, body.String()+stubs.String())
}

// fallbackFile returns the functions of a package on other CPUs.
func fallbackFile(p *pack) string {
	var body strings.Builder
	for _, f := range p.functions {
		fmt.Fprintf(&body, "\n//go:noinline\nfunc %s {\n", f.signature)
		if len(f.values("amd64", "rows")) > 0 && len(f.values("", "rows")) == 0 && strings.Contains(f.value("", "go"), "whole") {
			body.WriteString("const whole = 0\n")
		}
		f.writeReference(&body, "")
		body.WriteString("}\n")
	}
	return goFile("(!amd64 && !arm64) || purego", p.name, body.String())
}

// write appends a function, and the declarations of its kernels.
func (f *dispatcher) write(body, stubs *strings.Builder, families []family, arch string) {
	fmt.Fprintf(body, "\n//go:noinline\nfunc %s {\n", f.signature)
	calls := f.calls(arch)
	tiers := familyOf(families, calls[0].name).suffixes(arch)
	if len(tiers) > 0 {
		for _, s := range f.values(arch, "pre") {
			fmt.Fprintln(body, s)
		}
		f.writeSwitch(body, calls, tiers, arch)
		for _, t := range tiers {
			f.declare(stubs, calls, t[0], arch)
		}
	}
	f.writeReference(body, arch)
	body.WriteString("}\n")
}

// writeSwitch appends the calls, by tier.
func (f *dispatcher) writeSwitch(body *strings.Builder, calls []kernelCall, tiers [][]string, arch string) {
	rows, only := f.value(arch, "rows"), f.value(arch, "only")
	if rows != "" {
		count, width, _ := cutLast(rows)
		n, err := strconv.Atoi(width)
		if err != nil {
			panic("kernels.txt: rows " + rows)
		}
		fmt.Fprintf(body, "whole := %s &^ %d\n", count, n-1)
		only = "whole > 0"
	}
	if only != "" {
		fmt.Fprintf(body, "if %s {\n", only)
	}
	body.WriteString("switch cpu.Active {\n")
	for _, t := range tiers {
		fmt.Fprintf(body, "case cpu.%s:\n", strings.Join(t[1:], ", cpu."))
		if f.value(arch, "each") != "" {
			body.WriteString("switch v.kind() {\n")
			for _, c := range calls {
				fmt.Fprintf(body, "case %s:\n", c.when)
				f.writeCall(body, c, t[0], rows != "")
			}
			body.WriteString("}\n")
			continue
		}
		for _, c := range calls {
			if c.when != "" {
				fmt.Fprintf(body, "if %s {\n", c.when)
			}
			if pdep := f.value(arch, "pdep"); pdep != "" && t[0] == "AVX2" {
				fmt.Fprintf(body, "if %s {\n", pdep)
				f.writeCall(body, c, "PDEP", false)
				body.WriteString("}\n")
			}
			if half := f.value(arch, "half"); half != "" && t[0] == "AVX512" {
				fmt.Fprintf(body, "if cpu.Narrow && %s {\n", half)
				f.writeCall(body, c, "AVX2", false)
				body.WriteString("}\n")
			}
			if f.hasYmm(arch, t[0]) {
				body.WriteString("if cpu.Narrow {\n")
				f.writeCall(body, c, "YMM", false)
				body.WriteString("}\n")
			}
			f.writeCall(body, c, t[0], rows != "")
			if c.when != "" {
				body.WriteString("}\n")
			}
		}
	}
	if rows != "" {
		body.WriteString("default:\nwhole = 0\n")
	}
	body.WriteString("}\n")
	if only != "" {
		body.WriteString("}\n")
	}
}

// hasYmm reports whether the code with a suffix has a form with vectors of 256 bits.
func (f *dispatcher) hasYmm(arch, suffix string) bool {
	return suffix == "AVX512" && f.value(arch, "ymm") != ""
}

// cutLast splits at the last space.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// writeCall appends the call of a kernel, after which the function returns unless Go has the rest.
func (f *dispatcher) writeCall(body *strings.Builder, c kernelCall, suffix string, rest bool) {
	call := fmt.Sprintf("%s%s(%s)", c.name, suffix, c.arguments)
	switch {
	case rest && c.results != "":
		fmt.Fprintf(body, "%s = %s\n", strings.Fields(c.results[1:])[0], call)
	case rest || len(f.values("", "then")) > 0:
		fmt.Fprintln(body, call)
	case f.results:
		fmt.Fprintf(body, "return %s\n", call)
	default:
		fmt.Fprintf(body, "%s\nreturn\n", call)
	}
}

// writeReference appends the call of the reference in Go, if there is one.
func (f *dispatcher) writeReference(body *strings.Builder, arch string) {
	if f.results {
		body.WriteString("return ")
	}
	if call := f.value(arch, "go"); call != "" {
		fmt.Fprintln(body, call)
	}
}

// declare appends the declarations of kernels in assembly.
func (f *dispatcher) declare(stubs *strings.Builder, calls []kernelCall, suffix, arch string) {
	suffixes := []string{suffix}
	if suffix == "AVX2" && f.value(arch, "pdep") != "" {
		suffixes = append(suffixes, "PDEP")
	}
	if f.hasYmm(arch, suffix) {
		suffixes = append(suffixes, "YMM")
	}
	for _, c := range calls {
		for _, s := range suffixes {
			fmt.Fprintf(stubs, "\n//go:noescape\nfunc %s%s(%s) %s\n", c.name, s, c.parameters, c.results)
		}
	}
}
