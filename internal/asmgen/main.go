// Command asmgen writes the NEON kernels of package asm: asm/*_arm64.s. The
// assembler of Go has no vector arithmetic on floats for arm64, so that these
// instructions are written as WORD, with the instruction in a comment; a test
// decodes every one of them. Everything else is Plan 9 assembly as it stands.
//
//	go run .         rewrites the files
//	go test ./...    fails when a file is out of date or a WORD is not its comment
//
// It is a module of its own, so that the decoder is no dependency of zoctree.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder is where the kernels are, seen from this module.
const folder = "../../asm"

// outputs are the generated files.
func outputs() map[string]string {
	return map[string]string{
		"frustum_arm64.s":  frustumFile(),
		"box_arm64.s":      boxFile(),
		"sphere_arm64.s":   sphereFile(),
		"convex_arm64.s":   convexFile(),
		"emit_arm64.s":     emitFile(),
		"fill_arm64.s":     fillFile(),
		"ray_arm64.s":      rayFile(),
		"near_arm64.s":     nearFile(),
		"prefetch_arm64.s": prefetchFile(),
	}
}

func main() {
	for name, text := range outputs() {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "asmgen:", err)
			os.Exit(1)
		}
	}
}
