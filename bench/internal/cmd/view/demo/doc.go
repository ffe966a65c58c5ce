// Package demo runs the queries of the page of bench view, and the same queries as loops over all objects. It
// does not depend on a browser: the same code runs in the page, as wasm, and in the tests, which compare
// both.
//
// A [Stage] holds the objects, their tree and the state of each object after the last [Question]; [Stage.Ask]
// runs a query. The page displays the lines between //show and //end; [Code] extracts them.
package demo
