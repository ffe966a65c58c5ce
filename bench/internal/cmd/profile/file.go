package profile

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/prof"
)

// read reports on the profile of any program.
func (r *profiler) read(e *command.Env, path string) {
	cpu := must.Get(prof.Load(path))
	var base *prof.Profile
	if r.base != "" {
		base = must.Get(prof.Load(r.base))
	}
	run := originOf(cpu.Comments)
	if run.passes == 0 {
		run = origin{workload: "of another program", passes: 1}
	}
	r.file = path
	r.report = r.output.Begin(e, "profile")
	r.report.Note("file", path)
	must.Within(func() { r.print(cpu, nil, base, run) }, "%s", path)
	must.Do(r.report.Close())
}

// sizes returns a sizer for functions of this program, and nil for the profile of another one.
func (r *profiler) sizes() prof.Sizer {
	if r.file != "" {
		return nil
	}
	return prof.RuntimeSize
}
