package redact

// Whole returns a hash of all of a text, which is the same for the same text. The page
// script has the same.
func (k Key) Whole(text string) uint64 {
	a, b := uint32(1), uint32(1)
	for _, r := range text {
		a, b = a*k[0]+uint32(r)+1, b*k[1]+uint32(r)+1
	}
	return uint64(a)<<21 | uint64(b>>11)
}

// Key returns the key of the hashes of ix.
func (ix *Index) Key() Key { return ix.key }
