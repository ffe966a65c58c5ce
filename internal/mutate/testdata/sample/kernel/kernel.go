// Package kernel has assembly to mutate.
package kernel
