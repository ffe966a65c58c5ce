// Package snap implements the snapshot file format: a container of named columns that can be
// memory-mapped, read as a stream, or read in part. It does not depend on the contents of the
// columns.
//
// # Format
//
// All numbers are little-endian. The head is first and complete: it contains every size. Sections
// follow in the layout of memory.
//
//	byte 0   magic      8 bytes      89 'Z' 'O' 'C' 0d 0a 1a 0a
//	     8   major      uint16       2; files of another one are rejected, with an error that
//	                                 says whether an earlier or a later version wrote them
//	    10   minor      uint16       a later one: sections may be unknown
//	    12   kind       uint32       of the contents; defined by the owner
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
//	           group    uint32       names are unique in a group; defined by the owner
//	           row      uint32       bytes of a row, at least 1
//	           layout   uint32       the words of a row; defined by the owner
//	           flags    uint32       see Section
//	           offset   uint64
//	           bytes    uint64       a multiple of the bytes of a row
//	         sums, of 4 bytes: CRC-32C of each chunk of each section, in order
//
// The layout of a file is fully determined by its sections. A section of at least 4096 bytes begins
// at the next multiple of 4096, a smaller one at the next multiple of 64. Bytes between sections
// are zero, and the file ends with the last section. So equal columns make equal files, a reader
// verifies an offset by comparing it, and no two sections overlap.
//
// # Untrusted input
//
// A reader does not trust sizes in the file: it allocates at most the size of the file or, for a
// stream, twice the bytes read so far. Sums detect corruption, not manipulation: the owner must
// validate the contents of sections.
package snap
