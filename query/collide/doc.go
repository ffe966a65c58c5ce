// Package collide asks what overlaps what: the broad phase of a physics engine. It is
// a wing of package query, whose contract it keeps.
//
//	Append, All, Count                 what overlaps in one tree, or between two
//	Batch                              the same by several goroutines
//	Tracker                            pairs that began and ended since last frame
//	AppendContacts                     position, normal and depth of pairs
//	AppendImpacts                      pairs of a time step, with times of impact
//
// A frame of a physics engine, with objects that move and some that spawn others:
//
//	pairs = collide.Append(pairs[:0], v, linear.View{}, filter)    // or a Tracker's
//	contacts = collide.AppendContacts(contacts[:0], v, linear.View{}, pairs)
//	for _, c := range contacts { … changes.Move(c.A, …); changes.Insert(…) }
//	ids, err := tree.Apply(&changes)
//	err = tree.Tick()
//
// Objects that are fast against their size tunnel through others between two
// frames: let the tree hold the boxes of all their places ([Step.Swept]) and ask
// for the impacts.
package collide
