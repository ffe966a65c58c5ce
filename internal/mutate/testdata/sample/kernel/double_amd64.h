// Doubles AX.
#define DOUBLE \
	SHLQ $1, AX
