package report

import (
	"fmt"
	"strings"
)

// Format is the output format of a report. It is a flag.Value.
type Format uint8

// The formats.
const (
	Text     Format = iota // aligned columns
	TSV                    // tables only: titles and rows, separated by tabs
	Markdown               // tables in pipes
	JSON                   // one document, at the end
	Go                     // lines of Go benchmarks, for benchstat
)

var formatNames = [...]string{Text: "text", TSV: "tsv", Markdown: "markdown", JSON: "json", Go: "gobench"}

// FormatNames lists the values of -format.
func FormatNames() string { return strings.Join(formatNames[:], ", ") }

func (f Format) String() string { return formatNames[f] }

// Set parses the name of a format.
func (f *Format) Set(name string) error {
	for i, known := range formatNames {
		if name == known {
			*f = Format(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s", FormatNames())
}
