package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var jumps = map[string]string{
	"JL": "JLE", "JLE": "JL", "JLT": "JLE", "JG": "JGE", "JGE": "JG", "JGT": "JGE",
	"JE": "JNE", "JEQ": "JNE", "JNE": "JEQ", "JZ": "JNZ", "JNZ": "JZ",
	"JB": "JLS", "JCS": "JLS", "JLO": "JLS", "JLS": "JCS", "JBE": "JCS",
	"JA": "JCC", "JHI": "JCC", "JCC": "JHI", "JAE": "JHI", "JHS": "JHI", "JC": "JNC", "JNC": "JC",
	"JS": "JNS", "JNS": "JS", "JMI": "JPL", "JPL": "JMI",
}

// predicates maps predicates of float comparisons to their opposites; integers use the first eight.
var predicates = map[uint64]uint64{
	0: 4, 4: 0, 1: 2, 2: 1, 5: 6, 6: 5, 0x0D: 0x0E, 0x0E: 0x0D,
	0x11: 0x12, 0x12: 0x11, 0x1D: 0x1E, 0x1E: 0x1D, 0x15: 0x16, 0x16: 0x15, 0x10: 0x0C, 0x0C: 0x10,
}

var (
	minmaxName = regexp.MustCompile(`MIN|MAX`)
	addsubName = regexp.MustCompile(`^V?P?(ADD|SUB)[BWLQDPS]*$|^(INC|DEC)[BWLQ]$`)
	logicName  = regexp.MustCompile(`^K?V?P?(AND|OR)[BWLQDPS]*$`)
	swapped    = map[string]string{"MIN": "MAX", "MAX": "MIN", "ADD": "SUB", "SUB": "ADD", "INC": "DEC", "DEC": "INC", "AND": "OR", "OR": "AND"}

	vector    = regexp.MustCompile(`^([XYZK])(\d+)$`)
	general   = []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R15"}
	immediate = regexp.MustCompile(`^\$(-?(?:0x[0-9A-Fa-f]+|\d+))$`)
	memory    = regexp.MustCompile(`^(\d*)\((?:[A-Z][A-Z0-9]+)\)`)

	instruction = regexp.MustCompile(`[A-Z][A-Z0-9.]*(?:[ \t]+[^;\\]*)?`)
	define      = regexp.MustCompile(`^#define[ \t]+([A-Za-z_0-9]+)(?:\([^)]*\))?`)
	text        = regexp.MustCompile(`^TEXT[ \t]+[^·]*·([A-Za-z_0-9]+)`)
	word        = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)
)

// asmFile is one file of assembly, with the words of each TEXT and macro.
type asmFile struct {
	name  string
	src   string
	uses  map[string]map[string]bool // words by macro or function
	texts map[string]bool
}

// lines calls do for each line of code with its macro or function.
func (f *asmFile) lines(do func(line, at int, owner, code string)) {
	owner, outer, macro, at, number := "", "", false, 0, 0
	for full := range strings.Lines(f.src) {
		number++
		code, start := strings.TrimRight(full, "\r\n"), at
		at += len(full)
		if i := strings.Index(code, "//"); i >= 0 {
			code = code[:i]
		}
		goesOn := strings.HasSuffix(strings.TrimRight(code, " \t"), `\`)
		if m := define.FindStringSubmatchIndex(code); m != nil {
			outer, owner, macro = owner, code[m[2]:m[3]], true
			do(number, start+m[1], owner, code[m[1]:])
		} else if m := text.FindStringSubmatch(code); m != nil {
			owner = m[1]
			f.texts[owner] = true
		} else if code != "" && code[0] != '#' {
			do(number, start, owner, code)
		}
		if macro && !goesOn {
			owner, macro = outer, false
		}
	}
}

func parseAsm(name, src string) *asmFile {
	f := &asmFile{name: name, src: src, uses: map[string]map[string]bool{}, texts: map[string]bool{}}
	f.lines(func(_, _ int, owner, code string) {
		if f.uses[owner] == nil {
			f.uses[owner] = map[string]bool{}
		}
		for _, w := range word.FindAllString(code, -1) {
			f.uses[owner][w] = true
		}
	})
	return f
}

// asmMutants returns the candidates in the files, each with its functions.
func asmMutants(files []*asmFile, match func(name string) bool) []*Mutant {
	users := func(macro string) []string { // functions that use the macro, directly or indirectly
		seen, names := map[string]bool{}, []string{}
		var visit func(string)
		visit = func(m string) {
			for _, f := range files {
				for owner, words := range f.uses {
					if words[m] && !seen[owner] {
						seen[owner] = true
						if f.texts[owner] {
							names = append(names, owner)
						}
						visit(owner)
					}
				}
			}
		}
		visit(macro)
		return names
	}
	var all []*Mutant
	for _, f := range files {
		if !match(f.name[strings.LastIndexByte(f.name, '/')+1:]) || onlySpeed(f.name[strings.LastIndexByte(f.name, '/')+1:]) {
			continue
		}
		var found []*Mutant
		symbols := map[string][]string{}
		f.lines(func(line, at int, owner, code string) {
			if owner == "" || onlySpeed(owner) {
				return
			}
			if _, ok := symbols[owner]; !ok {
				if symbols[owner] = users(owner); f.texts[owner] {
					symbols[owner] = []string{owner}
				}
			}
			for _, span := range instructions(code) {
				for _, m := range asmEdits(code[span[0]:span[1]]) {
					col := span[0] + m.start
					before := code[span[0]:span[1]]
					m.File, m.Line, m.Col, m.Func, m.symbols = f.name, line, col+1, owner, symbols[owner]
					m.Before, m.After = squeeze(before), squeeze(before[:m.start]+m.text+before[m.end:])
					m.start, m.end = m.start+at+span[0], m.end+at+span[0]
					found = append(found, m)
				}
			}
		})
		all = append(all, number(found)...)
	}
	return all
}

// instructions returns the positions of the instructions of a line, without labels, calls of macros and the
// backslash that continues a macro.
func instructions(code string) [][2]int {
	var spans [][2]int
	at := 0
	for part := range strings.SplitAfterSeq(code, ";") {
		start := at
		at += len(part)
		body := strings.TrimRight(part, "; \t\\")
		if i := strings.IndexByte(body, ':'); i >= 0 {
			start, body = start+i+1, body[i+1:]
		}
		trimmed := strings.TrimLeft(body, " \t")
		start += len(body) - len(trimmed)
		name, _, _ := strings.Cut(strings.ReplaceAll(trimmed, "\t", " "), " ")
		skip := name == "" || strings.ContainsAny(name, "(_") || strings.HasPrefix(name, "PREFETCH") ||
			name == "VZEROUPPER" || name == "RET" || name == "NOP" || name == "PCALIGN" ||
			name == "DATA" || name == "GLOBL" || name == "WORD" || name != strings.ToUpper(name)
		if !skip && name != trimmed { // a word alone is a macro
			spans = append(spans, [2]int{start, start + len(trimmed)})
		}
	}
	return spans
}

// asmEdits returns the mutants of one instruction, with positions relative to its start.
func asmEdits(ins string) []*Mutant {
	var found []*Mutant
	edit := func(op string, start, end int, text string) {
		found = append(found, &Mutant{Op: op, start: start, end: end, text: text})
	}
	nameEnd := strings.IndexAny(ins, " \t")
	if nameEnd < 0 {
		nameEnd = len(ins)
	}
	name := ins[:nameEnd]
	edit("drop", 0, len(ins), "NOP")
	if to, ok := jumps[name]; ok {
		edit("jump", 0, nameEnd, to)
		return found
	}
	if name == "JMP" || name == "CALL" {
		return found
	}
	swap := func(op string, re *regexp.Regexp) {
		if m := re.FindStringSubmatchIndex(name); m != nil {
			g := m[:2]
			for i := 2; i < len(m); i += 2 {
				if m[i] >= 0 {
					g = m[i : i+2]
				}
			}
			edit(op, g[0], g[1], swapped[name[g[0]:g[1]]])
		}
	}
	swap("minmax", minmaxName)
	swap("addsub", addsubName)
	swap("logic", logicName)
	compares := strings.Contains(name, "CMPP") || strings.Contains(name, "CMPS") || strings.HasPrefix(name, "VPCMP")
	for i, o := range operands(ins, nameEnd) {
		operand := ins[o[0]:o[1]]
		if m := vector.FindStringSubmatch(operand); m != nil {
			n, _ := strconv.Atoi(m[2])
			op, next := "register", n^1
			if m[1] == "K" {
				op, next = "mask", n%7+1
			}
			edit(op, o[0], o[1], m[1]+strconv.Itoa(next))
		}
		for k, r := range general {
			if operand == r {
				edit("register", o[0], o[1], general[(k+1)%len(general)])
			}
		}
		if m := immediate.FindStringSubmatch(operand); m != nil {
			v, err := strconv.ParseInt(m[1], 0, 64)
			if err != nil {
				continue
			}
			if p, ok := predicates[uint64(v)]; ok && compares && i == 0 {
				edit("predicate", o[0], o[1], "$0x"+strconv.FormatUint(p, 16))
				continue
			}
			edit("immediate", o[0], o[1], "$"+strconv.FormatInt(v+1, 10))
			edit("immediate", o[0], o[1], "$"+strconv.FormatInt(v-1, 10))
		}
		if m := memory.FindStringSubmatch(operand); m != nil && !strings.Contains(operand, "(SP)") {
			v, _ := strconv.Atoi(m[1])
			edit("offset", o[0], o[0]+len(m[1]), strconv.Itoa(v+4))
		}
	}
	return found
}

// operands returns the positions of the operands, separated by commas outside brackets.
func operands(ins string, from int) [][2]int {
	var spans [][2]int
	depth, start := 0, from
	add := func(end int) {
		s := ins[start:end]
		left := len(s) - len(strings.TrimLeft(s, " \t"))
		if t := strings.TrimSpace(s); t != "" {
			spans = append(spans, [2]int{start + left, start + left + len(t)})
		}
	}
	for i := from; i < len(ins); i++ {
		switch ins[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				add(i)
				start = i + 1
			}
		}
	}
	add(len(ins))
	return spans
}

// identifiers returns the lines and columns at which function bodies of a Go file name one of the symbols.
func identifiers(file string, symbols []string) [][2]int {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var places [][2]int
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == nil {
			continue // the declaration of the function itself
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(symbols, id.Name) {
				at := fset.Position(id.Pos())
				places = append(places, [2]int{at.Line, at.Column})
			}
			return true
		})
	}
	return places
}
