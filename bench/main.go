// Command bench measures the library.
//
//	go run ./bench            builds a million objects and culls them: under a minute
//	go run ./bench ratios     the figures of the design, as ratios of one run
//	go run ./bench scaling    cost against the number of objects
//	go run ./bench classic    the classic benchmark of dynamic octrees, with its fits
//	go run ./bench rivals     the same on other Go libraries and classic octrees
//	go run ./bench replay     boxes and queries from flat files, as a TSV
//	go run ./bench tracks     recorded tracks, replayed
//	go run ./bench export     writes such files
//	go run ./bench profile    where the time and the memory of a workload go
//	go run ./bench tree       the tree as a profile: objects, memory, visits by octant
//	go run ./bench picture    a tree and a query as SVG
//	go run ./bench help       all commands; help COMMAND, or -h after it, tells
//	                          what one does and its flags
//
// Results go to standard output, progress to standard error. The exit code is
// 0, 1 when something failed or an answer was wrong, 2 for a wrong command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(bench(os.Args[1:], os.Stdout, os.Stderr)) }

// env is where a command writes.
type env struct {
	out  io.Writer // results
	errs io.Writer // progress and errors

	after []func() error // what is left to do when the command has ended
}

// command is a subcommand. Setup declares the flags and returns what runs once
// they are parsed.
type command struct {
	name, short, long string
	setup             func(flags *flag.FlagSet) func(e *env) error
}

// commands returns all commands, the default first.
func commands() []command {
	return []command{
		runCommand, ratiosCommand, scalingCommand, classicCommand, rivalsCommand, replayCommand, tracksCommand, exportCommand,
		profileCommand, treeCommand, pictureCommand,
	}
}

// usageError is an error of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// bench runs the command that args name and returns the exit code.
func bench(args []string, stdout, stderr io.Writer) int {
	e := &env{out: stdout, errs: stderr}
	if len(args) > 0 && args[0] == "help" {
		return help(args[1:], stdout, stderr)
	}
	c := commands()[0]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		var ok bool
		if c, ok = byName(args[0]); !ok {
			return unknown(args[0], stderr)
		}
		args = args[1:]
	}
	flags, body := c.flags(stderr)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	var err error
	if flags.NArg() > 0 {
		err = usagef("unexpected argument %q", flags.Arg(0))
	} else {
		err = body(e)
	}
	for _, f := range e.after {
		err = errors.Join(err, f())
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "bench:", err)
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "usage: bench %s -h\n", c.name)
		return 2
	}
	return 1
}

// flags declares the flags of a command, and how to tell of them.
func (c *command) flags(w io.Writer) (flags *flag.FlagSet, body func(e *env) error) {
	flags = flag.NewFlagSet("bench "+c.name, flag.ContinueOnError)
	flags.SetOutput(w)
	flags.Usage = func() {
		fmt.Fprintf(w, "usage: bench %s [flags]\n\n%s\n\nFlags:\n", c.name, strings.TrimSpace(c.long))
		flags.PrintDefaults()
	}
	return flags, c.setup(flags)
}

func byName(name string) (c command, ok bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return c, false
}

func unknown(name string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "bench: unknown command %q\n\n", name)
	overview(stderr)
	return 2
}

// help tells of all commands, or of those named.
func help(names []string, stdout, stderr io.Writer) int {
	if len(names) == 0 {
		overview(stdout)
	}
	for _, name := range names {
		c, ok := byName(name)
		if !ok {
			return unknown(name, stderr)
		}
		flags, _ := c.flags(stdout)
		flags.Usage()
	}
	return 0
}

func overview(w io.Writer) {
	fmt.Fprint(w, "usage: bench [command] [flags]\n\nCommands:\n")
	for i, c := range commands() {
		note := ""
		if i == 0 {
			note = " (default)"
		}
		fmt.Fprintf(w, "  %-8s %s%s\n", c.name, c.short, note)
	}
	fmt.Fprint(w, "\nbench help COMMAND, or bench COMMAND -h, tells what it does and its flags.\n")
}
