package collide

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Class is a priority class of a [BudgetTracker], which limits the work of a broad phase, and needs a Period: some
// objects and the periods of their searches.
type Class struct {
	// Mask selects the objects of the class: those whose type mask has a bit in common with it.
	// 0: any object.
	Mask uint32

	// Period is the number of frames from one search of an object to the next, 1 or more: 0 is an
	// error.
	Period int

	// Hidden is the period of objects that are not in [BudgetTracker.Visible]. 0: they are not
	// searched; searches of other objects find them.
	Hidden int

	// Share is the number of packets of the Budget that are for this class in each update, 0 or
	// more. Other classes get only what it does not use. Shares that add up to more than the Budget
	// are an error. If all are 0, the classes share half of the budget. A change takes effect with the
	// next update and has no cost.
	Share int
}

// BudgetStats holds the work counters of the last update of a [BudgetTracker], or of one of its classes.
type BudgetStats struct {
	Units   int // packets tested, at most the budget
	Checked int // searches that ended

	// Retested is the number of units spent on packets with objects that the same search had tested
	// before.
	Retested int

	// Late is the number of updates, this one included, for which the first waiting object has
	// been due; 0: none waits for a search.
	Late uint64
}

// Check returns an error if the filter, the budget or a class is out of range, the same as Update returns. It takes
// time proportional to the classes, and allocates nothing unless there is an error.
func (w *BudgetTracker) Check() error {
	if err := w.Filter.Check(); err != nil {
		return err
	}
	if w.Budget < 1 {
		return fmt.Errorf("collide: a budget of %d packets: want 1 or more", w.Budget)
	}
	if len(w.Classes) > maxClasses {
		return fmt.Errorf("collide: %d classes exceed %d", len(w.Classes), maxClasses)
	}
	left := w.Budget
	for i, c := range w.Classes {
		if c.Period < 1 || c.Hidden < 0 {
			return fmt.Errorf("collide: class %d has a period of %d frames, %d if occluded: want 1 or more, and 0 or more", i, c.Period, c.Hidden)
		}
		if c.Share < 0 || c.Share > left {
			return fmt.Errorf("collide: class %d has a share of %d packets: want 0 to %d, which is left of a budget of %d", i, c.Share, left, w.Budget)
		}
		left -= c.Share
	}
	return nil
}

// classCount returns the number of classes.
func (w *BudgetTracker) classCount() int { return max(len(w.Classes), 1) }

// shareOf returns the units of this update that are for a class alone.
func (w *BudgetTracker) shareOf(class int) int {
	n := w.classCount()
	if n == 1 {
		return w.Budget
	}
	for i := range w.Classes {
		if w.Classes[i].Share > 0 {
			return w.Classes[class].Share
		}
	}
	half := w.Budget - w.Budget/2
	share, rest := half/n, half%n
	// The rest is for the next classes in a circle, so that in any k updates a class gets at least
	// k*half/n units, rounded down.
	if first := int(w.frame%uint64(n)) * rest % n; (class-first+n)%n < rest {
		share++
	}
	return share
}

// run searches objects until the budget is used up.
func (w *BudgetTracker) run(v linear.View) {
	places, n, left := v.Locator(&w.places), w.classCount(), w.Budget
	w.stats = append(w.stats[:0], make([]BudgetStats, n)...)
	w.search.begin(v, &w.Filter, n)
	for class := range n {
		left -= w.spend(&places, class, w.shareOf(class))
	}
	for class := range n {
		left -= w.spend(&places, class, left)
		w.stats[class].Late = w.queue.late(class, w.frame)
	}
	w.search.end()
}

// spend searches due objects of a class with up to most units. It returns the number of units.
func (w *BudgetTracker) spend(places *linear.Locator, class, most int) (units int) {
	c, p := &w.search, &w.search.open[class]
	if p.active && c.work.filter.isExcluded(p.id) {
		p.drop()
	}
	for units < most {
		if !p.active {
			id, ok := w.queue.next(class, w.frame)
			if !ok {
				break
			}
			w.queue.began(id, w.frame, w.period(id))
			if c.work.filter.isExcluded(id) {
				continue
			}
			p.active, p.id = true, id
		}
		slot, lane, ok := places.Locate(p.id)
		if !ok {
			panic(fmt.Sprintf("collide: no object %d in its view", p.id))
		}
		n, again, done := c.ask(p, slot, lane, most-units, &w.keys)
		units += n
		w.stats[class].Units += n
		w.stats[class].Retested += again
		if !done {
			c.pause(p)
			break
		}
		w.stats[class].Checked++
	}
	return units
}

// Stats returns statistics of the last update: sums, and the largest Late of a class.
func (w *BudgetTracker) Stats() (sum BudgetStats) {
	for i := range w.stats {
		s := &w.stats[i]
		sum.Units += s.Units
		sum.Checked += s.Checked
		sum.Retested += s.Retested
		sum.Late = max(sum.Late, s.Late)
	}
	return sum
}

// ClassStats returns the statistics of one class in the last update: 0 is the first class, or the
// class of all objects if there are none. They help to choose shares: a class whose Late grows needs
// a larger one. It panics if the last update had no such class.
func (w *BudgetTracker) ClassStats(class int) BudgetStats {
	if class < 0 || class >= len(w.stats) {
		panic(fmt.Sprintf("collide: no class %d: the last update had %d", class, len(w.stats)))
	}
	return w.stats[class]
}
