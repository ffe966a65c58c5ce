// Package snap is the container of snapshots: a file of named columns that can be mapped,
// read as a stream, or read in part. It knows nothing of trees.
//
// # Format
//
// All numbers are little-endian. The head comes first and is complete, so that who has
// read it knows every size; sections follow as they lie in memory.
//
//	byte 0   magic      8 bytes      89 'Z' 'O' 'C' 0d 0a 1a 0a
//	     8   major      uint16       2; files of another one are refused, with an error that
//	                                 says whether an earlier or a later version wrote them
//	    10   minor      uint16       a later one: sections may be unknown
//	    12   kind       uint32       of what is in the file; the owner's
//	    16   bytes      uint64       of the file
//	    24   sections   uint32
//	    28   chunk      uint32       bytes: 2^18
//	    32   head       uint64       bytes up to here and of the tables below
//	    40   zero       16 bytes
//	    56   tables     uint32       CRC-32C of the tables
//	    60   header     uint32       CRC-32C of the 60 bytes before
//
//	    64   sections, of 64 bytes:
//	           name     32 bytes     1 to 31 bytes, then zeros
//	           group    uint32       names are unique in a group; the owner's
//	           row      uint32       bytes of a row, at least 1
//	           layout   uint32       the words of a row; the owner's
//	           flags    uint32       see Section
//	           offset   uint64
//	           bytes    uint64       a multiple of those of a row
//	         sums, of 4 bytes: CRC-32C of each chunk of each section, in order
//
// Nothing is left to the writer: a section begins at the next multiple of 4096 if it has
// that many bytes, else at the next one of 64, what is between is zero, and the file ends
// with the last section. So equal columns make equal files, offsets need only be compared,
// and no two sections overlap.
//
// # Trust
//
// A reader takes no size on faith: what it allocates is at most what the file has, or, of a
// stream, twice what has come. Sums tell decay, not intent: what a section means is for
// its owner to check.
package snap
