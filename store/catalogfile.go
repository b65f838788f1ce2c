package store

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store/internal/files"
)

// The catalog of a large directory is stored in a file, so that a command need not read every
// document. It is a cache: the file of every document is looked at, one that is not as it was
// is read, and a match is confirmed by the document. What is not whole, or of another version,
// is ignored, and written again. Git ignores its folder.
const (
	indexDir  = ".index"
	indexFile = indexDir + "/automations.index"

	// indexMagic begins the file. The number rises when the form of the entries, or that of
	// automation.Scope.IndexKeys, changes.
	indexMagic = "reprise automations 2\n"

	// maxUnindexed is how many documents are read each time rather than stored: 0.2 ms each.
	maxUnindexed = 256

	// maxIndexSize is that of a million documents.
	maxIndexSize = 512 << 20
)

var indexTable = crc32.MakeTable(crc32.Castagnoli)

// saveCatalog stores the entries whose files show a change. What fails here costs the next
// process time, and no one anything else: the directory may be one that only can be read.
func saveCatalog(ctx context.Context, dir *files.Dir, entries []*cataloged) {
	data := encodeCatalog(entries)
	if len(data) > maxIndexSize {
		return
	}
	_ = dir.Write(ctx, func() error {
		if err := dir.Replace(indexDir+"/.gitignore", []byte("*\n")); err != nil {
			return err
		}
		return dir.Replace(indexFile, data)
	})
}

// loadCatalog returns the entries that are stored, none where there is no whole file of them.
func loadCatalog(dir *files.Dir) []*cataloged {
	data, _, err := dir.Read(indexFile, maxIndexSize)
	if err != nil {
		return nil
	}
	return decodeCatalog(data)
}

// encodeCatalog returns the magic, a checksum of what follows, and the entries.
func encodeCatalog(entries []*cataloged) []byte {
	data := make([]byte, len(indexMagic)+4, len(indexMagic)+4+256*len(entries))
	copy(data, indexMagic)
	text := func(s string) {
		data = binary.AppendUvarint(data, uint64(len(s)))
		data = append(data, s...)
	}
	for _, e := range entries {
		if !e.stable || e.Err != nil {
			continue
		}
		text(e.file)
		data = binary.LittleEndian.AppendUint64(data, e.stamp.Inode)
		data = binary.AppendVarint(data, e.stamp.Size)
		data = binary.LittleEndian.AppendUint64(data, uint64(e.stamp.Modified))
		text(e.Name)
		text(e.Account)
		text(e.Description)
		text(string(e.Blocker))
		data = binary.AppendUvarint(data, uint64(e.Steps))
		data = binary.AppendUvarint(data, uint64(e.Revision))
		data = binary.AppendUvarint(data, uint64(len(e.URLs)))
		for _, url := range e.URLs {
			text(url)
		}
		data = binary.AppendUvarint(data, uint64(len(e.places)))
		for _, place := range e.places {
			data = binary.LittleEndian.AppendUint64(data, place)
		}
	}
	binary.LittleEndian.PutUint32(data[len(indexMagic):], crc32.Checksum(data[len(indexMagic)+4:], indexTable))
	return data
}

// decodeCatalog returns nil for anything but what encodeCatalog returns.
func decodeCatalog(data []byte) []*cataloged {
	const head = len(indexMagic) + 4
	if len(data) < head || string(data[:len(indexMagic)]) != indexMagic {
		return nil
	}
	if binary.LittleEndian.Uint32(data[len(indexMagic):]) != crc32.Checksum(data[head:], indexTable) {
		return nil
	}
	r := &indexReader{rest: data[head:], text: string(data[head:])}
	now := time.Now().UnixNano()
	var entries []*cataloged
	var those []cataloged
	var urls []string
	var places []uint64
	for len(r.rest) > 0 && !r.bad {
		e := &cut(&those, 1)[0]
		e.stable = true
		e.file = r.string()
		e.stamp.Inode = r.uint64()
		e.stamp.Size = r.int()
		e.stamp.Modified = int64(r.uint64())
		e.Name, e.Account, e.Description, e.Blocker = r.string(), r.string(), r.string(), automation.Reason(r.string())
		e.Steps, e.Revision = r.count(), r.count()
		if n := r.list(); n > 0 {
			e.URLs = cut(&urls, n)
			for i := range e.URLs {
				e.URLs[i] = r.string()
			}
		}
		if n := r.list(); n > 0 {
			e.places = cut(&places, n)
			for i := range e.places {
				e.places[i] = r.uint64()
			}
		}
		e.stable = e.stamp.Modified < now // else its clock was set back: it is read
		entries = append(entries, e)
	}
	if r.bad || !slices.IsSortedFunc(entries, func(a, b *cataloged) int { return byFile(a, b.file) }) {
		return nil
	}
	return entries
}

// cutFrom is how many are made at once, rather than each of a hundred thousand.
const cutFrom = 4096

// cut returns the next n of what was made at once.
func cut[T any](made *[]T, n int) []T {
	if n > len(*made) {
		*made = make([]T, max(n, cutFrom))
	}
	some := (*made)[:n:n]
	*made = (*made)[n:]
	return some
}

// indexReader reads parts one after another. After the first that is not whole it is bad.
type indexReader struct {
	rest []byte
	text string // all of it: strings are parts of that
	bad  bool
}

func (r *indexReader) take(n uint64) (from int) {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return len(r.text)
	}
	from = len(r.text) - len(r.rest)
	r.rest = r.rest[n:]
	return from
}

func (r *indexReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *indexReader) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number that fits every int.
func (r *indexReader) count() int {
	v := r.uvarint()
	if v > 1<<31-1 {
		r.bad = true
		return 0
	}
	return int(v)
}

// list reads the length of a list, whose parts take at least a byte each.
func (r *indexReader) list() int {
	n := r.count()
	if n > len(r.rest) {
		r.bad = true
		return 0
	}
	return n
}

func (r *indexReader) string() string {
	n := r.uvarint()
	from := r.take(n)
	if r.bad {
		return ""
	}
	return r.text[from : from+int(n)]
}

func (r *indexReader) uint64() uint64 {
	if len(r.rest) < 8 {
		r.bad, r.rest = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return v
}
