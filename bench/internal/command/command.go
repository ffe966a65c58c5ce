// Package command is the framework of the bench subcommands: their table, common flags for input and output,
// and progress messages.
//
// A command is a package below bench/internal/cmd with a variable of type Command, and a line in the table of
// package main.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/terminal"
)

// Env is the environment of a command.
type Env struct {
	Out  io.Writer // results
	Errs io.Writer // errors, and progress on a terminal

	Operand string // positional argument, for commands with one

	after []func() error // functions to run at the end of the command
}

// Command is a subcommand. Its name is one word, or two for a variant of the command named by the first word.
// Setup declares the flags and returns the function to run after they are parsed. A command with an Operand,
// such as FILE, takes one positional argument before, between or after the flags; in brackets, as [FILE], it
// is optional.
type Command struct {
	Name, Operand, Short, Long string
	Setup                      func(flags *flag.FlagSet) func(e *Env) error
}

// usageError is an error in the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Usage marks err as an error in the command line: the exit code is 2, and the message names the help
// command.
func Usage(err error) error { return usageError{err} }

// Usagef is Usage of a new error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// flags declares the flags of a command. Parsing prints nothing: Run prints the errors.
func (c *Command) flags() (flags *flag.FlagSet, body func(e *Env) error) {
	flags = flag.NewFlagSet("bench "+c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags, c.Setup(flags)
}

// help prints the description of the command and its flags.
func (c *Command) help(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(w, "usage: bench %s\n\n%s\n\nFlags:\n", strings.TrimSpace(c.Name+" [flags] "+c.Operand), strings.TrimSpace(c.Long))
	flags.SetOutput(w)
	flags.PrintDefaults()
}

// Set is a table of commands, the default first.
type Set []Command

// Run runs the command selected by args and returns the exit code: 0, 1 after a failure, 2 for an invalid
// command line. Requested help is written to stdout. An error of writing to stdout is a failure of any command. The
// error is the last line of stderr; for an invalid command line it names the help command.
func (s Set) Run(args []string, stdout, stderr io.Writer) int {
	screen := terminal.ScreenOf(stderr)
	results := &errorWriter{w: screen.Writer(stdout)}
	err := s.run(args, results, screen.Writer(stderr))
	screen.Clear()
	if results.err != nil && !errors.Is(err, results.err) {
		err = errors.Join(err, results.err)
	}
	if err == nil {
		return 0
	}
	name := "bench:"
	if terminal.Colours(stderr) {
		name = terminal.Red.On(name)
	}
	fmt.Fprintln(stderr, name, strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

func (s Set) run(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && isHelp(args[0]) {
		return s.help(args[1:], stdout)
	}
	c, rest, err := s.named(args)
	if err != nil {
		return err
	}
	flags, body := c.flags()
	e := &Env{Out: stdout, Errs: stderr}
	e.Operand, err = s.parse(&c, flags, rest)
	if errors.Is(err, flag.ErrHelp) {
		c.help(stdout, flags)
		return nil
	}
	if err == nil {
		if failed := must.Catch(func() { err = body(e) }); failed != nil {
			err = failed
		}
	}
	for _, f := range e.after {
		err = errors.Join(err, f())
	}
	if errors.As(err, new(usageError)) {
		err = fmt.Errorf("%w (bench %s -h for help)", err, c.Name)
	}
	return err
}

// isHelp reports whether a first argument requests the list of commands.
func isHelp(arg string) bool { return slices.Contains([]string{"help", "-h", "-help", "--help"}, arg) }

// Check parses a command line as Run does, but runs nothing.
func (s Set) Check(args []string) error {
	if len(args) > 0 && isHelp(args[0]) {
		return s.help(args[1:], io.Discard)
	}
	c, rest, err := s.named(args)
	if err != nil {
		return err
	}
	flags, _ := c.flags()
	_, err = s.parse(&c, flags, rest)
	return err
}

// named returns the command selected by args, or the default, and its own arguments.
func (s Set) named(args []string) (c Command, rest []string, err error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return s[0], args, nil
	}
	c, words := s.byName(args)
	if words == 0 {
		return c, nil, s.unknown(args[0])
	}
	return c, args[words:], nil
}

// parse parses the flags and the operand. The operand may be empty only if it is in brackets or the command
// has none.
func (s Set) parse(c *Command, flags *flag.FlagSet, args []string) (operand string, err error) {
	if err := flags.Parse(args); err != nil {
		return "", s.flagError(c, flags, err)
	}
	if c.Operand != "" && flags.NArg() > 0 {
		operand = flags.Arg(0)
		if err := flags.Parse(flags.Args()[1:]); err != nil {
			return "", s.flagError(c, flags, err)
		}
	}
	switch {
	case flags.NArg() > 0:
		return "", Usagef("unexpected argument %q%s", flags.Arg(0), s.formNear(c, flags.Arg(0)))
	case c.Operand != "" && operand == "" && !strings.HasPrefix(c.Operand, "["):
		return "", Usagef("no %s", c.Operand)
	}
	return operand, nil
}

// byName returns the command named by the first words, and the number of these words: 0 if there is none. A
// two-word name takes precedence.
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

// help prints the help of the named commands, or of all.
func (s Set) help(names []string, stdout io.Writer) error {
	if len(names) == 0 {
		s.overview(stdout)
	}
	for len(names) > 0 {
		c, n := s.byName(names)
		if n == 0 {
			return s.unknown(names[0])
		}
		flags, _ := c.flags()
		c.help(stdout, flags)
		names = names[n:]
	}
	return nil
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
	fmt.Fprintf(w, "\nbench help COMMAND, or bench COMMAND -h, prints its description and its flags; without a command, flags are those of %s.\n", s[0].Name)
}
