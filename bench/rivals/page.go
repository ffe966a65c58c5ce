package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/machine"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// page is the output, as text or as Markdown.
type page struct {
	w        io.Writer
	markdown bool
	err      error // the first of the writer
}

func (p *page) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

func (p *page) heading(title string) {
	if p.markdown {
		title = "### " + title + "\n"
	}
	fmt.Fprintf(p, "\n%s\n", title)
}

func (p *page) note(key, text string) {
	if p.markdown {
		fmt.Fprintf(p, "- **%s** %s\n", key, text)
		return
	}
	fmt.Fprintf(p, "%-9s %s\n", key, text)
}

func (p *page) table(cols []table.Column, rows [][]string) {
	if !p.markdown {
		t := table.New(p, cols...)
		for _, r := range rows {
			t.Row(r...)
		}
		return
	}
	var title, rule strings.Builder
	for _, c := range cols {
		title.WriteString("| " + c.Title + " ")
		if c.Width < 0 {
			rule.WriteString("|---")
		} else {
			rule.WriteString("|--:")
		}
	}
	fmt.Fprintf(p, "%s|\n%s|\n", title.String(), rule.String())
	for _, r := range rows {
		fmt.Fprintf(p, "| %s |\n", strings.ReplaceAll(strings.Join(r, " | "), leads, `\*`))
	}
}

func (p *page) list(title string, lines []string) {
	p.heading(title + fmt.Sprintf(": %d", len(lines)))
	for _, l := range lines {
		fmt.Fprintf(p, "- %s\n", l)
	}
}

// preface says what is measured, and on what.
func (c *contest) preface() {
	p := c.out
	p.note("machine", machine.Here().String())
	p.note("tier", fmt.Sprint(asm.Info().Tier))
	for _, e := range entrants {
		if e.name == home || c.options.Admits(e.name) {
			p.note(e.name, e.about)
		}
	}
	p.note("marks", fmt.Sprintf("%s leads its row; %s measured on a part of the queries, moves or rounds, as it is slow", leads, fewer))
	p.note("rows", fmt.Sprintf("medians of %d samples; one goroutine; replace is to remove an object and insert another; moves and replacements are in steps of %d and the end of a frame, one by one or, where there are batches, at once;", c.options.Rounds, stepMoves))
	p.note("", "all pairs without those of two static objects; memory is the heap after a collection, for "+home+" after Trim")
}
