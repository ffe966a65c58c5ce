package command

import (
	"flag"
	"fmt"
	"strings"
)

// unknown is the error of a command that is none.
func (s Set) unknown(name string) error {
	var names []string
	for _, c := range s {
		names = append(names, c.Name)
	}
	return Usagef("unknown command %q%s (bench help lists all)", name, meant(near(name, names)))
}

// formNear suggests one of the forms of a command for a word that it cannot take.
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

// undefined is how package flag begins the error of a flag that is unknown.
const undefined = "flag provided but not defined: -"

// flagError returns an error of package flag as one of the command line. An unknown flag is
// named with the one that is meant, or the commands that have it.
func (s Set) flagError(c *Command, flags *flag.FlagSet, err error) error {
	name, ok := strings.CutPrefix(err.Error(), undefined)
	if !ok {
		return Usage(err) // flag.ErrHelp, too
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

// shorter are the flags of one letter, by what users of other commands write for them.
var shorter = map[string]string{"out": "o", "output": "o", "objects": "n", "number": "n", "max": "n"}

// having returns the commands that have a flag.
func (s Set) having(name string) (commands []string) {
	for _, c := range s {
		if flags, _ := c.flags(); flags.Lookup(name) != nil {
			commands = append(commands, c.Name)
		}
	}
	return commands
}

// meant asks whether a name is what was meant, if there is one.
func meant(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", name)
}

// near returns which of the names a mistyped one means: that of the fewest edits, of which there
// may be one in three letters, or else the only one that it begins. It is "" if there is none.
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

// edits returns how many letters are to be put in, taken out, replaced or swapped with the next
// one to make b of a: the distance of optimal string alignment.
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
