// A package with an assembly file may declare functions without a body, as the
// two of phase.go that the runtime defines.
