package main

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// The files equal the output of the generator.
func TestFilesAreFresh(t *testing.T) {
	for name, want := range outputs() {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is out of date: run go run . in internal/asmgen", name)
		}
	}
}

// The results of a signature are told from its parameters and its receiver.
func TestHasResults(t *testing.T) {
	for signature, want := range map[string]bool{
		"f()":                          false,
		"f(x int)":                     false,
		"f(x int) int":                 true,
		"f(x int) (y, z int)":          true,
		"(r *T) f(x int)":              false,
		"(r *T) f(x int) (y int)":      true,
		"(r *T) f(x func() int) error": true,
	} {
		if got := hasResults(signature); got != want {
			t.Errorf("%s: results %v, want %v", signature, got, want)
		}
	}
}

// The generator writes every arm64 file.
func TestNoFileByHand(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, "_arm64.s") {
			found++
			if outputs()[name] == "" {
				t.Errorf("%s is not generated", name)
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Fatal("no files", err)
	}
}

var wordLine = regexp.MustCompile(`(?m)^.*\bWORD\b.*$`)
var wordParts = regexp.MustCompile(`^\tWORD \$0x([0-9A-F]{8}) /[/*] (.+?)(?: \*/(?: \\)?)?$`)

// Every WORD decodes to its comment.
func TestWordsDecode(t *testing.T) {
	words := 0
	for name := range outputs() {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range wordLine.FindAllString(string(text), -1) {
			m := wordParts.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: a WORD without bits and comment: %s", name, line)
				continue
			}
			bits, err := strconv.ParseUint(m[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := decode(uint32(bits)); err != nil || got != m[2] {
				t.Errorf("%s: %s decodes to %q, %v", name, line, got, err)
			}
			words++
		}
	}
	if words == 0 {
		t.Error("no WORD found")
	}
}

func decode(bits uint32) (string, error) {
	inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, bits))
	return inst.String(), err
}

// Each entry of the table, with registers and elements at their ends, decodes to the encoded operands.
func TestEncode(t *testing.T) {
	operands := map[byte][2]string{'V': {"V0.4S", "V31.4S"}, 'E': {"V31.S[0]", "V0.S[3]"}, '#': {"#0", "#0"}}
	for form := range opcodes {
		name, list, _ := strings.Cut(form, " ")
		kinds := strings.Split(list, ",")
		for pick := range 1 << len(kinds) {
			line := name + " "
			for i, kind := range kinds {
				if i > 0 {
					line += ", "
				}
				line += operands[kind[0]][pick>>i&1]
			}
			bits, ok := encode(line)
			if !ok {
				t.Errorf("%s is not encoded", line)
				continue
			}
			if got, err := decode(bits); err != nil || got != line {
				t.Errorf("%s is encoded as %#08x: %q, %v", line, bits, got, err)
			}
		}
	}
	for _, line := range []string{"VADD V0.S4, V1.S4, V2.S4", "FMUL V1.4S, V2.4S", "FMOVQ (R1), F2", "FNONE V0.4S, V1.4S, V2.4S", ""} {
		if bits, ok := encode(line); ok {
			t.Errorf("%q is encoded as %#08x", line, bits)
		}
	}
}
