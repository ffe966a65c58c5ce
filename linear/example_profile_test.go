package linear_test

import (
	"bytes"
	"fmt"
	"runtime/pprof"

	"github.com/zoctree/zoctree/linear"
)

// A program labels its CPU profile with the phases of the library.
func ExampleProfileLabels() {
	was := linear.ProfileLabels(true)
	defer linear.ProfileLabels(was)
	var profile bytes.Buffer // usually a file
	if err := pprof.StartCPUProfile(&profile); err != nil {
		fmt.Println(err)
		return
	}

	t, _ := linear.New(linear.Config{})
	_, err := t.InsertBatch(nil, []linear.Object{{Mask: 1}})

	pprof.StopCPUProfile()
	fmt.Println(t.Len(), err, was, profile.Len() > 0)
	// Output: 1 <nil> false true
}
