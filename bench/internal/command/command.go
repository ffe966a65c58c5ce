// Package command is what the commands of bench share: their table, flags for
// what they work on and how they report, and progress.
//
// A command is a package below bench/internal/cmd with a variable of type
// Command, and a line in the table of package main.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Env is where a command writes.
type Env struct {
	Out  io.Writer // results
	Errs io.Writer // progress and errors

	Operand string // of a command that takes one

	after []func() error // what is left to do when the command has ended
}

// Command is a subcommand. Its name is a word, or two for a form of the command that
// the first one names. Setup declares the flags and returns what runs once they are
// parsed. A command with an Operand, such as FILE, takes one word that is no flag, before,
// between or behind them; one in brackets, as [FILE], may be left out.
type Command struct {
	Name, Operand, Short, Long string
	Setup                      func(flags *flag.FlagSet) func(e *Env) error
}

// usageError is an error of the command line.
type usageError struct{ error }

// Usage returns err as an error of the command line: the exit code is 2, and the
// user is told how to ask for help.
func Usage(err error) error { return usageError{err} }

// Usagef is Usage of a new error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// flags declares the flags of a command, and how to tell of them.
func (c *Command) flags(w io.Writer) (flags *flag.FlagSet, body func(e *Env) error) {
	flags = flag.NewFlagSet("bench "+c.Name, flag.ContinueOnError)
	flags.SetOutput(w)
	flags.Usage = func() {
		fmt.Fprintf(w, "usage: bench %s\n\n%s\n\nFlags:\n", strings.TrimSpace(c.Name+" [flags] "+c.Operand), strings.TrimSpace(c.Long))
		flags.PrintDefaults()
	}
	return flags, c.Setup(flags)
}

// Set is a table of commands, the default first.
type Set []Command

// Run runs the command that args name and returns the exit code: 0, 1 when
// something failed, 2 for a wrong command line.
func (s Set) Run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "help" {
		return s.help(args[1:], stdout, stderr)
	}
	c, rest, ok := s.named(args)
	if !ok {
		return s.unknown(args[0], stderr)
	}
	flags, body := c.flags(stderr)
	e := &Env{Out: stdout, Errs: stderr}
	operand, err := c.parse(flags, rest)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil && !errors.As(err, new(usageError)):
		return 2 // and the flags have told why
	case err == nil:
		e.Operand = operand
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
		fmt.Fprintf(stderr, "usage: bench %s -h\n", c.Name)
		return 2
	}
	return 1
}

// Check reads a command line as Run does, and runs nothing.
func (s Set) Check(args []string) error {
	if len(args) > 0 && args[0] == "help" {
		if code := s.help(args[1:], io.Discard, io.Discard); code != 0 {
			return Usagef("unknown commands among %q", args[1:])
		}
		return nil
	}
	c, rest, ok := s.named(args)
	if !ok {
		return Usagef("unknown command %q", args[0])
	}
	flags, _ := c.flags(io.Discard)
	_, err := c.parse(flags, rest)
	return err
}

// named returns the command that args name, or the default, and its own
// arguments.
func (s Set) named(args []string) (c Command, rest []string, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return s[0], args, true
	}
	c, words := s.byName(args)
	return c, args[max(words, 1):], words > 0
}

// parse reads the flags and the operand, which is not empty if there is to be one: in brackets, it may be.
func (c *Command) parse(flags *flag.FlagSet, args []string) (operand string, err error) {
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	if c.Operand != "" && flags.NArg() > 0 {
		operand = flags.Arg(0)
		if err := flags.Parse(flags.Args()[1:]); err != nil {
			return "", err
		}
	}
	switch {
	case flags.NArg() > 0:
		return "", Usagef("unexpected argument %q", flags.Arg(0))
	case c.Operand != "" && operand == "" && !strings.HasPrefix(c.Operand, "["):
		return "", Usagef("no %s", c.Operand)
	}
	return operand, nil
}

// byName returns the command that the first words name, and how many they are: 0 if
// there is none. Two words name more than one.
func (s Set) byName(words []string) (c Command, n int) {
	for n = min(2, len(words)); n > 0; n-- {
		for _, c := range s {
			if c.Name == strings.Join(words[:n], " ") {
				return c, n
			}
		}
	}
	return c, 0
}

func (s Set) unknown(name string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "bench: unknown command %q\n\n", name)
	s.overview(stderr)
	return 2
}

// help tells of all commands, or of those named.
func (s Set) help(names []string, stdout, stderr io.Writer) int {
	if len(names) == 0 {
		s.overview(stdout)
	}
	for len(names) > 0 {
		c, n := s.byName(names)
		if n == 0 {
			return s.unknown(names[0], stderr)
		}
		flags, _ := c.flags(stdout)
		flags.Usage()
		names = names[n:]
	}
	return 0
}

func (s Set) overview(w io.Writer) {
	fmt.Fprint(w, "usage: bench [command] [flags]\n\nCommands:\n")
	width := 0
	for _, c := range s {
		width = max(width, len(c.Name))
	}
	for i, c := range s {
		note := ""
		if i == 0 {
			note = " (default)"
		}
		fmt.Fprintf(w, "  %-*s %s%s\n", width, c.Name, c.Short, note)
	}
	fmt.Fprint(w, "\nbench help COMMAND, or bench COMMAND -h, tells what it does and its flags.\n")
}
