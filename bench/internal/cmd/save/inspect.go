package save

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/regular"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear"
)

// Inspect is bench save inspect.
var Inspect = command.Command{
	Name:    "save inspect",
	Operand: "FILE",
	Short:   "list the contents of a snapshot and check it",
	Long: `
Lists the sections of a snapshot, written by save or by a program: the offset of each,
its bytes, the size of its rows, and whether its checksums are right.
Maps the file as linear.OpenMapped does, checks it at a level, and prints the time of one such
check and the statistics of the tree. Of a scene it lists the sections of all
parts, the statistics, and the scene and its parts in the order of View.Parts:
the objects and instances that each holds directly, the number of its instances, and the number of
objects through its instances.

  -check safe   the checksums and the structure that queries read (the default): no
                query can fault on the file, and Tree.Load checks the rest
  -check full   all sections, and that all query results are right
  -check sums   the checksums of all sections
  -check none   the header alone

After that all checksums in the table are compared, except with -check none.
The statistics leave out columns that the level has not read: only -check full reads
the columns that queries do not need.

If the file is damaged, the table marks the damaged sections, the error names the position
of the first one or the failed check, and the exit code is 1.

  go run ./bench save -scene city -n 100000 -o city.zoc
  go run ./bench save inspect city.zoc -check full`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var i inspector
		flags.Func("check", "check at `LEVEL`: safe (the default), full, sums or none", i.parse)
		i.output.DeclareFormat(flags)
		return i.run
	},
}

// inspector is one run of the command.
type inspector struct {
	level  linear.CheckLevel
	output command.Output

	file   *snap.File
	report *report.Report
}

func (i *inspector) parse(name string) error {
	for i.level = linear.CheckSafe; i.level <= linear.CheckNone; i.level++ {
		if name == i.level.String() {
			return nil
		}
	}
	return errors.New("want safe, full, sums or none")
}

func (i *inspector) run(e *command.Env) error {
	path := e.Operand
	f, info, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if i.file, err = snap.Open(f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	i.report = i.output.Begin(e, "save inspect")
	i.report.Note("file", fmt.Sprintf("%s, %d bytes in %d sections, format %d.%d",
		path, i.file.Bytes, i.file.Sections(), snap.Major, i.file.Minor))
	unsound := i.check(path)
	if err := i.sections(path); err != nil {
		unsound = err // names the position
	}
	return errors.Join(unsound, i.report.Close())
}

// check opens the file as a program does, and reports on the tree or the scene.
func (i *inspector) check(path string) error {
	start := time.Now()
	if i.file.Kind == snap.KindScene {
		s, err := linear.OpenSceneMapped(path, i.level)
		if err := i.took(start, err); err != nil {
			return err
		}
		i.parts(s)
		return s.Close()
	}
	s, err := linear.OpenMapped(path, i.level)
	if err := i.took(start, err); err != nil {
		return err
	}
	least, most := s.World().Bounds()
	i.report.Note("world", fmt.Sprintf("%v .. %v", least, most))
	i.report.Note("tree", s.Stats().String())
	return s.Close()
}

// took reports the duration of a check and its error, which it returns.
func (i *inspector) took(start time.Time, err error) error {
	says := i.level.String() + ", " + table.Number(time.Since(start).Seconds()*1e3) + " ms"
	if err != nil {
		says += ": the file is damaged, or not for this program"
	}
	i.report.Note("check", says)
	return err
}

// of returns the owner of a section.
func (i *inspector) of(group uint32) string {
	switch {
	case group == math.MaxUint32:
		return "program" // written by linear.SaveColumn
	case i.file.Kind != snap.KindScene:
		return "tree"
	case group == 0:
		return "scene"
	}
	return fmt.Sprint("part ", group-1)
}

// sections prints a line for each section. It returns an error if some are damaged, with the position of the
// first.
func (i *inspector) sections(path string) (err error) {
	t := i.report.Table("sections", table.Column{Title: "section", Width: -16}, table.Column{Title: "of", Width: -9},
		table.Column{Title: "offset", Width: 11}, table.Column{Title: "bytes", Width: 11}, table.Column{Title: "row", Width: 5},
		table.Column{Title: "rows", Width: 9}, table.Column{Title: "sums", Width: -7})
	damaged, all := 0, int64(0)
	for k := range i.file.Sections() {
		c, bytes, offset := i.file.Section(k)
		sums := "-"
		if i.level != linear.CheckNone {
			sums = "right"
			if e := i.file.Check(k); e != nil {
				sums = "wrong"
				if damaged++; err == nil {
					err = fmt.Errorf("the first one at byte %d: %w", offset, e)
				}
			}
		}
		all += bytes
		t.Row(c.Name, i.of(c.Group), fmt.Sprint(offset), fmt.Sprint(bytes), fmt.Sprint(c.Row), fmt.Sprint(bytes/int64(c.Row)), sums)
	}
	t.Row("sum", "", "", fmt.Sprint(all), "", "", "")
	if err != nil {
		return fmt.Errorf("%s: %d sections are damaged, %w", path, damaged, err)
	}
	return nil
}

// parts reports on a scene and lists its parts.
func (i *inspector) parts(s *linear.SceneSnapshot) {
	v := s.View()
	b := v.Bounds()
	i.report.Note("bounds", fmt.Sprintf("%v .. %v", b.Min, b.Max))
	i.report.Note("scene", s.Stats().String())
	instancesOf := map[uint32]int{} // instances of a part, in all scenes
	for _, part := range v.Parts() {
		instances := part.Instances()
		for slot := range instances.Slots() {
			for _, id := range instances.IDs(uint32(slot)) {
				_, k, _ := part.Instance(id)
				instancesOf[k]++
			}
		}
	}
	t := i.report.Table("parts", table.Column{Title: "number", Width: 6}, table.Column{Title: "objects", Width: 9}, table.Column{Title: "instances", Width: 9},
		table.Column{Title: "instances of it", Width: 9}, table.Column{Title: "total", Width: 20})
	for k, part := range v.Parts() {
		t.Row(fmt.Sprint(k), fmt.Sprint(part.Objects().Len()), fmt.Sprint(part.Instances().Len()), fmt.Sprint(instancesOf[k]), fmt.Sprint(part.Total()))
	}
}
