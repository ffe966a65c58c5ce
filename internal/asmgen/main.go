// Command asmgen generates the NEON kernels below asm, *_arm64.s, and from kernels.txt the functions in Go that
// call the kernels of the active tier, with the tables of kernels and tiers. The assembler of Go has no vector
// arithmetic on floats for arm64, so these instructions are written as WORD, with the instruction in a
// comment. A test decodes every one of them. Everything else is ordinary Plan 9 assembly.
//
//	go run .         rewrites the files
//	go test ./...    fails when a file is out of date or a WORD is not its comment
//
// It is a separate module, so that the decoder is no dependency of zoctree.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// root is the path of the module with the kernels, relative to this one.
const root = "../.."

// outputs returns the generated files by their path in that module.
func outputs() map[string]string {
	files := map[string]string{
		"asm/cull/volume_frustum_arm64.s": frustumFile(),
		"asm/cull/volume_box_arm64.s":     boxFile(),
		"asm/cull/volume_sphere_arm64.s":  sphereFile(),
		"asm/cull/volume_convex_arm64.s":  convexFile(),
		"asm/cull/emit_arm64.s":           emitFile(),
		"asm/build/fill_arm64.s":          fillFile(),
		"asm/trace/ray_arm64.s":           rayFile(),
		"asm/trace/near_arm64.s":          nearFile(),
		"asm/build/choose_arm64.s":        chooseFile(),
		"asm/cull/multibox_arm64.s":       multiBoxFile(),
		"asm/pair/pair_nodes_arm64.s":     pairNodesFile(),
		"asm/pair/pair_packets_arm64.s":   pairPacketsFile(),
		"asm/pair/pair_objects_arm64.s":   pairObjectsFile(),
		"asm/pair/pair_emit_arm64.s":      pairEmitFile(),
		"asm/build/moveboxes_arm64.s":     moveBoxesFile(),
		"asm/build/writeboxes_arm64.s":    writeBoxesFile(),
		"asm/build/encode_arm64.s":        encodeFile(),
		"asm/build/balls_arm64.s":         ballsFile(),
		"asm/build/cut_arm64.s":           cutFile(),
		"asm/build/cut_run_arm64.s":       cutRunFile(),
		"asm/cull/select_arm64.s":         selectFile(),
		"asm/stream_arm64.s":              streamFile(),
		"asm/cull/size_arm64.s":           sizeFile(),
		"asm/cull/visible_arm64.s":        visibleFile(),
		"asm/depth/cone_arm64.s":          coneFile(),
		"asm/depth/pyramid_arm64.s":       pyramidFile(),
		"internal/mem/prefetch_arm64.s":   prefetchFile(),
	}
	families, packs := readTable(kernelTable)
	for _, p := range packs {
		files[p.folder+"/dispatch_amd64.go"] = dispatchFile(families, p, "amd64")
		files[p.folder+"/dispatch_arm64.go"] = dispatchFile(families, p, "arm64")
		files[p.folder+"/dispatch_noasm.go"] = fallbackFile(p)
	}
	files["asm/families.go"] = familiesFile(families)
	files["asm/doc.go"] = withTable("asm/doc.go", families)
	return files
}

func main() {
	for name, text := range outputs() {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "asmgen:", err)
			os.Exit(1)
		}
	}
}
