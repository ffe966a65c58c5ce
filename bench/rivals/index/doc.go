// Package index is what the harness asks of every rival.
package index
