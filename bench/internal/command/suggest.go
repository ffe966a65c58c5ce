package command

import (
	"flag"
	"fmt"
	"strings"
)

// unknown returns the error for an unknown command.
func (s Set) unknown(name string) error {
	var names []string
	for _, c := range s {
		if strings.HasSuffix(c.Name, " "+name) { // the last word of a form
			return Usagef("unknown command %q%s (bench help lists all)", name, meant(c.Name))
		}
		names = append(names, c.Name)
	}
	return Usagef("unknown command %q%s (bench help lists all)", name, meant(near(name, names)))
}

// formNear suggests a variant of a command for an unexpected word.
func (s Set) formNear(c *Command, word string) string {
	var forms []string
	for _, other := range s {
		if form, ok := strings.CutPrefix(other.Name, c.Name+" "); ok {
			forms = append(forms, form)
		}
	}
	if form := near(word, forms); form != "" {
		return meant(c.Name + " " + form)
	}
	return ""
}

// undefined is the prefix of package flag's error for an unknown flag.
const undefined = "flag provided but not defined: -"

// flagError converts an error of package flag to a usage error. For an unknown flag it suggests a similar
// flag, or the commands that have the flag.
func (s Set) flagError(c *Command, flags *flag.FlagSet, err error) error {
	name, ok := strings.CutPrefix(err.Error(), undefined)
	if !ok {
		return Usage(err) // including flag.ErrHelp
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	hint := ""
	if other := near(name, names); other != "" {
		hint = meant("-" + other)
	} else if short, ok := shorter[name]; ok && flags.Lookup(short) != nil {
		hint = meant("-" + short)
	} else if have := s.having(name); len(have) > 0 {
		hint = fmt.Sprintf(", which %s would take", strings.Join(have, ", "))
	}
	return Usagef("%s has no flag -%s%s", c.Name, name, hint)
}

// shorter maps the usual long names of flags to our one-letter flags.
var shorter = map[string]string{"out": "o", "output": "o", "objects": "n", "number": "n", "max": "n"}

// having returns the commands with a flag.
func (s Set) having(name string) (commands []string) {
	for _, c := range s {
		if flags, _ := c.flags(); flags.Lookup(name) != nil {
			commands = append(commands, c.Name)
		}
	}
	return commands
}

// meant formats a suggestion, if there is one.
func meant(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", name)
}

// near returns the name that a mistyped one most likely stands for: the one with the fewest edits, at most
// one in three letters, or else the only one with this prefix. It returns "" if there is none.
func near(name string, names []string) string {
	best, fewest := "", max(len(name)/3, 1)+1
	var longer []string
	for _, other := range names {
		if n := edits(strings.ToLower(name), other); n < fewest && n < len(other) {
			best, fewest = other, n
		}
		if strings.HasPrefix(other, name) {
			longer = append(longer, other)
		}
	}
	if best == "" && name != "" && len(longer) == 1 {
		return longer[0]
	}
	return best
}

// edits returns the number of insertions, deletions, replacements and transpositions of adjacent letters from
// a to b: the distance of optimal string alignment.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			n := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				n = 1 + min(n, rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				n = min(n, 1+rows[i-2][j-2])
			}
			rows[i][j] = n
		}
	}
	return rows[len(a)][len(b)]
}
