package profile

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/prof"
)

// read reports on the profile of any program.
func (r *profiler) read(e *command.Env, path string) error {
	cpu, err := prof.Load(path)
	if err != nil {
		return err
	}
	var base *prof.Profile
	if r.base != "" {
		if base, err = prof.Load(r.base); err != nil {
			return err
		}
	}
	run := originOf(cpu.Comments)
	if run.passes == 0 {
		run = origin{workload: "of another program", passes: 1}
	}
	r.file = path
	if r.report, err = r.output.Begin(e, "profile"); err != nil {
		return err
	}
	r.report.Note("file", path)
	if err := r.print(cpu, nil, base, run); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.report.Close()
}

// sizes returns a sizer for functions of this program, and nil for the profile of another one.
func (r *profiler) sizes() prof.Sizer {
	if r.file != "" {
		return nil
	}
	return prof.RuntimeSize
}
