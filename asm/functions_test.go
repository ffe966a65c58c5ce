package asm_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asmFunction is a function of assembly with its macros expanded.
type asmFunction struct {
	file, name   string
	instructions []string
}

var (
	textHead  = regexp.MustCompile(`^TEXT\s+·(\w+)\(SB\)`)
	labelHead = regexp.MustCompile(`^\w+:`)
)

// asmFiles lists the files with that ending in this folder, in the module's folder internal, and below them.
func asmFiles(t *testing.T, ending string) (files []string) {
	t.Helper()
	for _, root := range []string{".", "../internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || path == "../internal/cpu"): // the latter reads the machine, and no data
				return fs.SkipDir
			case strings.HasSuffix(path, ending):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// amd64Functions returns all functions in assembly of amd64, in the order of the
// files. The headers of a folder are for all files in it.
func amd64Functions(t *testing.T) (functions []asmFunction) {
	t.Helper()
	headers := map[string]map[string]asmMacro{}
	for _, file := range asmFiles(t, "_amd64.h") {
		folder := filepath.Dir(file)
		if headers[folder] == nil {
			headers[folder] = map[string]asmMacro{}
		}
		for _, line := range asmText(t, file) {
			addMacro(headers[folder], line)
		}
	}
	for _, file := range asmFiles(t, "_amd64.s") {
		macros := map[string]asmMacro{}
		maps.Copy(macros, headers[filepath.Dir(file)])
		var f *asmFunction
		for _, line := range asmText(t, file) {
			if addMacro(macros, line) {
				continue
			}
			if head := textHead.FindStringSubmatch(line); head != nil {
				functions = append(functions, asmFunction{file: file, name: head[1]})
				f = &functions[len(functions)-1]
				continue
			}
			if strings.HasPrefix(line, "TEXT") {
				t.Fatalf("%s: the name of a function cannot be read: %s", file, line)
			}
			if strings.HasPrefix(line, "#") { // #include
				continue
			}
			for _, s := range statements(line) {
				for _, i := range expand(nil, macros, s) {
					i = strings.TrimSpace(labelHead.ReplaceAllString(i, ""))
					switch name := word.FindString(i); {
					case i == "", name == "DATA", name == "GLOBL":
					case f == nil:
						t.Fatalf("%s: outside a function: %s", file, i)
					default:
						f.instructions = append(f.instructions, i)
					}
				}
			}
		}
	}
	return functions
}

// mnemonics turns lists of names into a table by name.
func mnemonics[K comparable](lists map[K]string) map[string]K {
	of := map[string]K{}
	for k, list := range lists {
		for _, name := range strings.Fields(list) {
			if _, twice := of[name]; twice {
				panic(name + " stands twice in the table")
			}
			of[name] = k
		}
	}
	return of
}
