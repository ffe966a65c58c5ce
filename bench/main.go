// Command bench measures the library.
//
//	go run ./bench            builds a million objects and culls them: under a minute
//	go run ./bench ratios     the figures of the design, as ratios of one run
//	go run ./bench replay     boxes and queries from flat files, as a TSV
//	go run ./bench export     writes such files
//	go run ./bench help       all commands; -h after a command tells its flags
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
}

// command is a subcommand. Setup declares the flags and returns what runs once
// they are parsed.
type command struct {
	name, short, long string
	setup             func(flags *flag.FlagSet) func(e *env) error
}

// commands returns all commands, the default first.
func commands() []command {
	return []command{runCommand, ratiosCommand, replayCommand, exportCommand}
}

// usageError is an error of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// bench runs the command that args name and returns the exit code.
func bench(args []string, stdout, stderr io.Writer) int {
	e := &env{stdout, stderr}
	c := commands()[0]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if args[0] == "help" {
			overview(stdout)
			return 0
		}
		found := false
		for _, k := range commands() {
			if k.name == args[0] {
				c, found = k, true
			}
		}
		if !found {
			fmt.Fprintf(stderr, "bench: unknown command %q\n\n", args[0])
			overview(stderr)
			return 2
		}
		args = args[1:]
	}
	flags := flag.NewFlagSet("bench "+c.name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { c.usage(flags) }
	body := c.setup(flags)
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

// usage prints what the command does and its flags.
func (c *command) usage(flags *flag.FlagSet) {
	fmt.Fprintf(flags.Output(), "usage: bench %s [flags]\n\n%s\n\nFlags:\n", c.name, strings.TrimSpace(c.long))
	flags.PrintDefaults()
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
	fmt.Fprint(w, "\nbench <command> -h tells the flags of a command.\n")
}
