package collide

// SharePairsFrom lets walks of n objects or more be cut into that many parts or
// more, until restore.
func SharePairsFrom(n, parts int) (restore func()) {
	objects, tasks := planObjects, planTasks
	planObjects, planTasks = n, parts
	return func() { planObjects, planTasks = objects, tasks }
}

// PlannedParts is the number of parts of the walk of two views, or of one against
// itself.
func PlannedParts(of Views, flt Filter) int {
	w := takeSearch(of, flt)
	defer w.release()
	if !w.begin() || w.part != 1 {
		return 0
	}
	return len(w.plan)
}

// PartsDone returns the number of parts that the workers of the last call of a batch have done.
func PartsDone(b *Batch) int { return int(b.done.Load()) }
