package demo

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed camera.go ray.go pairs.go tree.go motion.go lidar.go instances.go
var sources embed.FS

// hidden matches lines that only measure.
var hidden = regexp.MustCompile(`(?s)\t//hide\n.*?\t//show\n`)

// Code returns the lines that run the query of a mode, without their indentation; "" if there are none.
func Code(mode string) string {
	files, _ := sources.ReadDir(".")
	for _, f := range files {
		text, _ := sources.ReadFile(f.Name())
		_, rest, ok := strings.Cut(string(text), "\t//show "+mode+"\n")
		if !ok {
			continue
		}
		lines, _, _ := strings.Cut(rest, "\t//end\n")
		lines = hidden.ReplaceAllString(lines, "")
		return strings.TrimPrefix(strings.ReplaceAll(lines, "\n\t", "\n"), "\t")
	}
	return ""
}
