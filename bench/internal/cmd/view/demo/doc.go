// Package demo is what the page of bench view asks the library, and a loop over all
// objects beside it. It knows nothing of a browser: the same code runs in the page, as
// wasm, and in the tests, which compare the two.
//
// A [Stage] holds the objects, their tree and what the last [Question] made of each
// object; [Stage.Ask] answers. The lines between //show and //end are those which the
// page shows: [Code] finds them here.
package demo
