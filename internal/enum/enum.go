// Package enum writes the values of enumerations as text and reads them, for package encoding and
// what builds on it, such as JSON and package expvar.
package enum

import (
	"fmt"
	"reflect"
	"strings"
)

// Named is an enumeration. String of a value that is none begins with "unknown(".
type Named interface {
	~uint8
	String() string
}

// Name returns the name of value i, or "unknown(i)" if it has none.
func Name(i uint8, names ...string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// known returns the name of a value, if it has one.
func known[T Named](v T) (name string, ok bool) {
	name = v.String()
	return name, !strings.HasPrefix(name, "unknown(")
}

// Marshal returns the name of a value. The error, which begins with the name of a package, is that of
// a value without one.
func Marshal[T Named](pkg string, v T) ([]byte, error) {
	name, ok := known(v)
	if !ok {
		return nil, fmt.Errorf("%s: the %s %d has no name", pkg, reflect.TypeFor[T]().Name(), uint8(v))
	}
	return []byte(name), nil
}

// Unmarshal sets a value to the one of a name. The error, which begins with the name of a package, tells the names
// that there are; the value is then as before.
func Unmarshal[T Named](pkg string, v *T, text []byte) error {
	var names []string
	for i := range 256 {
		name, ok := known(T(i))
		switch {
		case !ok:
		case name == string(text):
			*v = T(i)
			return nil
		default:
			names = append(names, name)
		}
	}
	return fmt.Errorf("%s: no %s is %q: want %s", pkg, reflect.TypeFor[T]().Name(), text, strings.Join(names, ", "))
}
