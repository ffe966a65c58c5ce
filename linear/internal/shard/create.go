package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Params are the parameters of a creation: linear.DirectoryOptions documents the fields.
type Params struct {
	World    soa.AABB
	Shard    int
	Memory   int
	Workers  int
	Progress func(taken, done uint64)
}

// Complete validates the parameters and sets their defaults.
func (o *Params) Complete() error {
	if o.Shard != 0 && o.Shard < minObjects || o.Shard > maxObjects || o.Memory < 0 || o.Workers < 0 {
		return fmt.Errorf("linear: DirectoryOptions: Shard %d, Memory %d, Workers %d: want none negative, and Shard 0 or %d to %d", o.Shard, o.Memory, o.Workers, minObjects, maxObjects)
	}
	if o.World != (soa.AABB{}) {
		if _, err := morton.Fit(o.World.Min, o.World.Max); err != nil {
			return fault.Errorf("linear: DirectoryOptions.World: %w", err)
		}
	}
	if o.Shard == 0 {
		o.Shard = 1 << 15
	}
	if o.Memory == 0 {
		o.Memory = 128 << 20
	}
	o.Memory = max(o.Memory, MemoryMin)
	o.Workers = team.Size(o.Workers)
	return nil
}

// MemoryMin is the smallest limit of memory, in bytes.
var MemoryMin = 4 << 20

// Create makes a directory: see linear.CreateDirectory.
func Create(ctx context.Context, d *Disk, dir string, objects iter.Seq2[uint64, soa.Object], opt Params) (err error) {
	if err := opt.Complete(); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if _, err := os.Lstat(dir); err == nil {
		return fault.Errorf("linear: a directory is to be created: %w", &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist})
	}
	dir = filepath.Clean(dir)
	temp, err := d.folderBeside(dir)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	c := &Creation{disk: d, ctx: ctx, Opt: opt, folder: temp}
	whole := false
	defer func() {
		if !whole {
			_ = c.raw.remove()
			_ = os.RemoveAll(temp)
		}
	}()
	for _, step := range [...]func() error{
		func() error { return c.take(objects) },
		c.parts,
		func() error { return c.manifest().begin(d, temp) },
		func() error { return d.rename(temp, dir) },
	} {
		if err := step(); err != nil {
			return fault.Errorf("linear: creating %s: %w", dir, err)
		}
	}
	whole = true
	if err := d.syncFolder(filepath.Dir(dir)); err != nil {
		return fault.Errorf("linear: creating %s: %w", dir, err)
	}
	return nil
}

// folderBeside makes a new folder in the parent folder of path.
func (d *Disk) folderBeside(path string) (folder string, err error) {
	parent, base := filepath.Split(path)
	for i := range 10_000 {
		folder = filepath.Join(parent, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), i))
		if err = d.makeFolder(folder); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return folder, err
}

// Creation is the state of CreateDirectory.
type Creation struct {
	disk   *Disk
	ctx    context.Context
	Opt    Params
	folder string

	raw     *spill
	centres soa.AABB
	sample  []soa.Object
	taken   uint64
	done    uint64
	spills  int // number of spill files made
	world   morton.World
	next    uint64 // next file number
	rows    []Row

	records []numbered // records in memory
	order   keyOrder
}

func (c *Creation) tell() {
	if c.Opt.Progress != nil {
		c.Opt.Progress(c.taken, c.done)
	}
}

// sampleMax is the maximum size of the sample that determines the world; a larger stream gives at least half as many.
const sampleMax = 1 << 14

// take writes the stream to a spill.
func (c *Creation) take(objects iter.Seq2[uint64, soa.Object]) (err error) {
	c.centres = soa.Empty()
	if c.raw, err = c.spill(spillBuffer); err != nil {
		return err
	}
	every := uint64(1) // sampling interval
	var r numbered
	for r.Number, r.Object = range objects {
		if err = r.Object.Box.Check(); err != nil {
			return fault.Errorf("object %d of the stream, number %d: %w", c.taken, r.Number, err)
		}
		if err = c.raw.add(&r); err != nil {
			return err
		}
		if c.taken%every == 0 {
			if len(c.sample) == sampleMax {
				for i := range sampleMax / 2 {
					c.sample[i] = c.sample[2*i]
				}
				c.sample = c.sample[:sampleMax/2]
				every *= 2
			}
			if c.taken%every == 0 {
				c.sample = append(c.sample, r.Object)
			}
		}
		if c.taken++; c.taken%(1<<14) == 0 {
			if err = c.ctx.Err(); err != nil {
				return err
			}
			c.tell()
		}
	}
	if err = c.raw.written(); err != nil {
		return err
	}
	if err = c.ctx.Err(); err != nil {
		return err
	}
	return c.fit()
}

// fit chooses the world.
func (c *Creation) fit() (err error) {
	if c.Opt.World != (soa.AABB{}) {
		c.world, err = morton.Fit(c.Opt.World.Min, c.Opt.World.Max)
		return err
	}
	c.world, err = worldOf(c.sample)
	c.sample = nil
	return err
}

// worldOf returns the world that a tree of these objects has.
func worldOf(objects []soa.Object) (morton.World, error) {
	t, err := treeOf(objects, octree.Config{Workers: 1})
	if err != nil {
		return morton.World{}, err
	}
	return t.World, nil
}

// treeOf returns a new tree of these objects, whose IDs are their indices.
func treeOf(objects []soa.Object, cfg octree.Config) (*octree.Tree, error) {
	t := new(octree.Tree)
	if err := t.Begin(cfg); err != nil || len(objects) == 0 {
		return t, err
	}
	if err := t.Admits(len(objects)); err != nil {
		return nil, err
	}
	centres, union, bad := t.Survey(objects)
	if bad >= 0 {
		return nil, fault.Errorf("linear: object %d: %w", bad, objects[bad].Box.Check())
	}
	opt := octree.BuildParams{Frozen: cfg.Frozen, Cut: cfg.Cut}
	if opt.Cut == octree.CutAuto {
		opt.Cut = octree.CutSpace // no tick follows
	}
	return t, t.Build(nil, objects, nil, centres, union, opt)
}

// spill makes a new temporary file.
func (c *Creation) spill(buffer int) (*spill, error) {
	c.spills++
	return c.disk.spillTo(filepath.Join(c.folder, fmt.Sprintf("%d.spill", c.spills)), buffer)
}

// InMemory is the number of records that fit into memory, at most as many as can be sorted. Each takes its key, an
// item of the sort and a copy of one; each file of a pass has a buffer.
func (c *Creation) InMemory() int64 {
	n := max(c.Opt.Memory/(mem.SizeOf[numbered]()+3*8), 2*c.Opt.Shard)
	return int64(min(n, radix.MaxLen))
}

// parts writes the shards of all objects.
func (c *Creation) parts() error {
	raw := c.raw
	c.raw = nil
	if err := c.part(raw, 0); err != nil {
		return err
	}
	return c.ctx.Err()
}

// passBits is the number of key bits by which a pass scatters.
const passBits = 8

// part writes the shards of the objects of a spill, whose keys have the first bits in common, and removes it.
func (c *Creation) part(from *spill, bits int) (err error) {
	defer func() { err = errors.Join(err, from.remove()) }()
	if from.count <= c.InMemory() {
		return c.load(from)
	}
	if bits == morton.Bits {
		return c.equal(from)
	}
	parts, err := c.scatter(from, bits)
	defer func() {
		for _, p := range parts {
			err = errors.Join(err, p.remove())
		}
	}()
	if err == nil {
		err = from.remove()
	}
	if err != nil {
		return err
	}
	// Parts that fit into memory together are built together, so that cells are less fragmented at their borders.
	for i := 0; i < len(parts); {
		k, sum := i, int64(0)
		for k < len(parts) && (k == i || sum+parts[k].count <= c.InMemory()) {
			sum += parts[k].count
			k++
		}
		if k == i+1 {
			err = c.part(parts[i], min(bits+passBits, morton.Bits))
		} else {
			err = c.load(parts[i:k]...)
		}
		if err != nil {
			return err
		}
		for ; i < k; i++ {
			if err := parts[i].remove(); err != nil {
				return err
			}
		}
	}
	return nil
}

// scatter distributes the records of a spill to one spill for each value of the next bits of the keys. Values
// without records have no spill.
func (c *Creation) scatter(from *spill, bits int) (parts []*spill, err error) {
	var to [1 << passBits]*spill
	buffer := max(c.Opt.Memory/4>>passBits, 1<<12)
	shift := max(morton.Bits-bits-passBits, 0)
	err = from.each(c.ctx, func(r *numbered) (err error) {
		s := &to[r.Key(&c.world)>>shift&(1<<passBits-1)]
		if *s == nil {
			if *s, err = c.spill(buffer); err != nil {
				return err
			}
		}
		return (*s).add(r)
	})
	for _, s := range to {
		if s == nil {
			continue
		}
		parts = append(parts, s)
		if err == nil {
			err = s.written()
		}
	}
	return parts, err
}

// equal writes the shards of objects that all have the same key, in their order.
func (c *Creation) equal(from *spill) error {
	c.records = c.records[:0]
	end := func() error {
		n := len(c.records)
		if n == 0 {
			return nil
		}
		first := c.records[0].Key(&c.world)
		err := c.write([]piece{{0, n, first}}, func(i int) *numbered { return &c.records[i] })
		c.records = c.records[:0]
		return err
	}
	err := from.each(c.ctx, func(r *numbered) error {
		c.records = append(c.records, *r)
		if len(c.records) == c.Opt.Shard {
			return end()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// load writes the shards of the objects of spills that fit into memory.
func (c *Creation) load(from ...*spill) error {
	c.records = c.records[:0]
	for _, s := range from {
		err := s.each(c.ctx, func(r *numbered) error {
			c.records = append(c.records, *r)
			return nil
		})
		if err != nil {
			return err
		}
	}
	list, at, err := c.order.Cut(c.ctx, &c.world, c.records, c.Opt.Shard, nil, c.Opt.Workers)
	if err != nil {
		return err
	}
	return c.write(list, at)
}

// write writes the shards of pieces.
func (c *Creation) write(list []piece, at func(i int) *numbered) error {
	for len(list) > 0 { // some at a time, to report progress
		some := list[:min(len(list), 4*c.Opt.Workers)]
		list = list[len(some):]
		w := writer{Disk: c.disk, World: &c.world, Folder: c.folder, Workers: c.Opt.Workers, Next: c.next}
		rows, err := w.Write(c.ctx, some, at)
		if err != nil {
			return err
		}
		c.next, c.rows = w.Next, append(c.rows, rows...)
		for i := range rows {
			c.done += rows[i].Count
		}
		c.tell()
	}
	return nil
}

func (c *Creation) manifest() *Manifest {
	fitted := c.Opt.World == soa.AABB{} && len(c.rows) <= 1
	return &Manifest{Sequence: 1, World: c.world, Next: c.next, Shard: c.Opt.Shard, Fitted: fitted, Rows: c.rows}
}

// Fit fits the world to objects.
func (m *Manifest) Fit(records []numbered) (err error) {
	if len(records) == 0 {
		return nil
	}
	every := (len(records) + sampleMax - 1) / sampleMax
	var sample []soa.Object
	for i := 0; i < len(records); i += every {
		sample = append(sample, records[i].Object)
	}
	m.World, err = worldOf(sample)
	return err
}
