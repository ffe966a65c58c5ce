// Command rivals compares this library with others: it runs the same queries on the same scenes and prints
// the times. Its commands interest and classic are packages. The command of the parent module runs it:
//
//	go run ./bench help rivals rivals small rivals interest scaling classic
//
// Three of the rivals are octrees that have been published; packages nevala, irregular and piko implement them. Each
// idea of theirs has its counterpart in the library. The calls of each row are run by a test (TestIdeas):
//
//	E. Nevala, Introduction to Octrees (2014)
//	  cubes, divided into eight                        Tree.InsertBatch, Tree.Cells
//	  cubes have a minimum size                        Config.MinCell
//	  new objects are queued and placed together       Tree.Insert, Tree.Flush
//	  the first objects build the tree at once         Tree.Build
//	  the world grows until it holds all objects       Config.GrowShare, Tree.World
//	  a moved object starts from its former node       Tree.Move, Tree.MoveBatch
//	  dead objects leave at the end of the frame       Tree.RemoveDirty, Tree.Tick
//	  empty leaves stay, longer if they are reused     Config.Lifespan
//	  bounding boxes and bounding spheres              Tree.InsertBall, Filter.Exact
//	  all collisions in one pass                       collide.Append
//	  only what has moved is tested again              Tracker.Update
//	  static objects do not collide with each other    Object.Static, Filter.StaticPairs
//	  types of objects, for queries and collisions     Object.Mask, Filter.Mask, Filter.Layers
//	  records of collisions, with point and normal     collide.AppendContacts
//	  fast balls meet between two frames               collide.AppendImpacts, Filter.Exact
//	  bullets in each frame, smoke when there is time  BudgetTracker.Update, Class.Share
//	  frustum culling                                  Camera.Frustum, Frustum.Append
//	  the first hit of a ray, and all hits             Ray.First, Ray.Append
//	  objects in a region                              Box.Append, Sphere.Append
//	  selection with the mouse                         Viewport.PickRay, Viewport.PickFrustum
//	  a level of detail for each visible object        Frustum.Levels, Levels.Append
//
//	J. Shagam and J. Pfeiffer, Dynamic Irregular Octrees (2003)
//	  nodes are split where their objects are          Config.Cut
//	  a split that separates nothing is left out       Tree.Packets, Cell.Packets
//	  splits wait for the first query                  Tree.InsertBatch, Tree.View
//	  splits ahead, in the time left of a frame        Config.TickBudget, Tree.Tick
//	  tight bounds grow at once                        Tree.Move, Tree.Bounds
//	  and shrink when they are needed                  Tree.Refit
//	  empty branches are freed                         Config.Lifespan, Tree.Trim
//	  a world without bounds                           Config.Outside, Tree.Insert
//	  bounds are a sphere and an oriented box          Tree.SetSphere, Tree.SetOriented, Filter.Exact
//	  and so for visibility                            Culler.Append, Filter.Exact
//	  objects as the volumes that they sweep           Step.Swept, collide.AppendImpacts
//	  the visible objects of the last frame occlude    Culler.SetShapes, Culler.Append
//	  occlusion of what is in the frustum              Culler.SetCamera, Culler.Occluded
//
//	Piko3D's Dynamic Octree (2010)
//	  a full leaf splits, a thin subtree merges        Config.SplitAbove, Config.MergeBelow
//	  enlarged cells: a small move changes no cell     Config.Slack
//	  cells over the borders of others (27 children)   Tree.PacketsOf
//	  objects outside, until there are too many        Config.World, Config.GrowShare
//	  the root shrinks to the octant of all objects    Config.ShrinkShare, Tree.Tick
//	  updates are local                                Tree.Move
//	  a query takes any volume                         query.NewFunc, Func.Append
//	  cones of light, beams, capsules of characters    query.NewCone, query.NewCylinder, query.NewCapsule
//	  the volumes of a camera and of physics           OrientedBox.Append, Convex.Append
package main
