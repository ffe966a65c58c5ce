// Package kernel is the test harness of kernels: memory that ends at pages without access, lengths
// around every cutoff, and random boxes, packets, nodes and pictures.
package kernel
